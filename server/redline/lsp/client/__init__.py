"""The editor from the server's side: documents, diagnostics, progress, settings."""
