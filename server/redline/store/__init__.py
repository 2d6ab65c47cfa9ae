"""What Redline remembers between runs, in SQLite: the only room with SQL."""
