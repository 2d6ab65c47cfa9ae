"""A shop, for the replies to import from."""
