"""Which tier takes a task, and why. Pure."""
