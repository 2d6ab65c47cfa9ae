"""The commands: only arguments and terminal output."""
