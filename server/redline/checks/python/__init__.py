"""Checks by Python's own rules: unknown imports, names and arguments."""
