"""Attempts of a session: their candidates, and the replies that these read."""
