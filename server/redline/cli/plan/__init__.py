"""One plan in a terminal, also one of a debug: its files, its job, its report."""
