"""Places in the workspace that a change has to do with."""
