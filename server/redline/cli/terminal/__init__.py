"""The terminal of a command: output, progress, failures, signals, exit codes."""
