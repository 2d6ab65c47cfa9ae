"""Findings in the workspace: where they are now, and their fixes."""
