"""The rules of the built-in engine: edits and findings without a model."""
