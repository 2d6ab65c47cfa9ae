"""Arguments that several commands have, and what they name."""
