"""What Redline stores between runs, in SQLite: the only room with SQL."""
