"""The user's own type checkers and linters, which judge edits."""
