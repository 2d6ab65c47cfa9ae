"""The measures, one a module."""
