"""Checks that find problems of a candidate."""
