"""Inline completion: requests to the model while the user types, and their answers."""
