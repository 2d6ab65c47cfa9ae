"""Deep reviews in an editor: commands, findings, reports."""
