"""What a model is told: templates and token budgets. Pure."""
