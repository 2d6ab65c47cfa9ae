"""The settings: one typed tree, and the sources of its values."""
