"""The text for models: templates and token budgets. Pure."""
