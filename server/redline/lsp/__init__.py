"""The editor's side: the only room that knows pygls and lsprotocol."""
