"""One request from its queue to its last event, and the steers between."""
