"""Syntax trees: what code defines, imports and calls, and what is broken in it."""
