"""Runs the tests of a workspace by the user's own command, in a copy."""
