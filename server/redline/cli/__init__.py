"""The commands: arguments and terminal output only."""
