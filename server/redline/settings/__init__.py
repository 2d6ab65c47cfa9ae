"""The settings: one typed tree, and where its values come from."""
