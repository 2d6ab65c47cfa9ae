"""What `check`, `models`, `route` and `stats` read and print."""
