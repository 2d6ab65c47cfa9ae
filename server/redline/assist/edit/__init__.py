"""Edits: an instruction on a range, from the command to the change of the document."""
