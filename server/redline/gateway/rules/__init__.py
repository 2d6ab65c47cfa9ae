"""The built-in engine that is no model: edits that follow from rules alone."""
