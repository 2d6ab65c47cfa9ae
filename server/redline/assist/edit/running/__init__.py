"""How a session runs: its model, its attempts, and what follows a candidate."""
