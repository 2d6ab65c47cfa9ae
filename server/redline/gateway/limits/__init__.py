"""Who may use how much, and who is next."""
