"""Messages of LSP and of the protocol of Redline: names, types and conversions."""
