"""Chooses the tier of a task, with reasons. Pure."""
