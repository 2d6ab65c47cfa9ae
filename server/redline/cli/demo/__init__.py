"""The demo: its editor, its model, its scenes, and the file that it edits."""
