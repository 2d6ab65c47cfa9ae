"""Debugging: a plan that begins with a failure and the cause of it."""
