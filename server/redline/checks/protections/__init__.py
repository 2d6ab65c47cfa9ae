"""Protections of the code that an edit takes away without being asked."""
