"""What `redline gateway` serves a team with, and where it listens."""
