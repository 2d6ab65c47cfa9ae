"""One edit in a terminal: its file, its session, its report."""
