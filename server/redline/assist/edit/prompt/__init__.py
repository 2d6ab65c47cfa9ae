"""What a model is sent for an attempt, and how its answer is read."""
