"""What a prompt shows besides the range: gathered ahead of time."""
