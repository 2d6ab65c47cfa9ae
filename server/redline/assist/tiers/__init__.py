"""Which model fills which tier."""
