"""LSP methods that are ordinary pygls features: all that are not on the fast path.

Each module registers the methods of one subject on a pygls server, by lsprotocol's
types. The server's `register_features` lists them. `CONTRIBUTING.md` shows how to
add one.
"""
