"""Code actions: the menu, resolving an entry, and its commands."""
