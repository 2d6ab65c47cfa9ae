"""One session: its state, its target, its offer, what it used, and how it stops."""
