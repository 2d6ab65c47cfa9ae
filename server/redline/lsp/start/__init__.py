"""Starting a server: on which streams it serves, and the answer to `initialize`."""
