"""A running generation: what it gets, how long it may take, and who reads it."""
