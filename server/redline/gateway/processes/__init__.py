"""Several processes that serve one gateway behind one port."""
