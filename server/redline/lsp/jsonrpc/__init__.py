"""The connection to an editor: streams, framing, JSON-RPC, dispatch."""
