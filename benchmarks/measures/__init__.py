"""The measures, one in each module."""
