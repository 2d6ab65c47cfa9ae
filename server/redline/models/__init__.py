"""Model providers: one module for each wire format, behind one interface."""
