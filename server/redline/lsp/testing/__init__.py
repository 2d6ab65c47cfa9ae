"""Running tests in the editor: lenses, diagnostics, and the commands."""
