"""Plans in the editor: commands, documents, lenses, and the one edit that applies."""
