"""An edit in its document: applied, undone, answered, moved by what the user types."""
