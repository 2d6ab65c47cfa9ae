"""What Redline does for a developer, one use case a module."""
