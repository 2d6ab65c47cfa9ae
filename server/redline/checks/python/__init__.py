"""What only Python's own rules can tell: imports, names and arguments that are not."""
