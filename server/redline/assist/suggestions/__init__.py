"""Suggestions while the user types: completions at the cursor, and next edits."""
