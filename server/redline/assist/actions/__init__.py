"""Code actions: what is offered at a place, decided from its text alone."""
