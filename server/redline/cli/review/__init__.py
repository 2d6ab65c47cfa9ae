"""One review in a terminal: its job, its progress, its report."""
