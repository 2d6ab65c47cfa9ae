"""The context of a prompt besides the range, gathered ahead of time."""
