"""Failures of programs, and the places in the workspace that they name."""
