"""Completions and next edits in the editor, on the fast path."""
