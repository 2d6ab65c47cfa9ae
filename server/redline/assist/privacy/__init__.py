"""What may be sent to a model, and what was sent."""
