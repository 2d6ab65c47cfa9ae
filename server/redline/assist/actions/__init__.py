"""Code actions: what is offered at a place, decided by its text alone."""
