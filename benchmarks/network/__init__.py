"""Slow lines between Redline and a model's server."""
