"""Ways to a server that is further away than it is."""
