"""Edits in the editor: the commands of sessions and of their prompts."""
