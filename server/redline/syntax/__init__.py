"""Syntax trees: the definitions, imports, calls and faults of code."""
