"""Explanations of a range."""
