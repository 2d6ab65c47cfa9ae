"""What Redline does for a developer: one package or module per use case."""
