"""The models' side: one module a wire format, behind one interface."""
