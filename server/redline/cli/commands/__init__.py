"""The sub-commands, a module each: their arguments, and what they run."""
