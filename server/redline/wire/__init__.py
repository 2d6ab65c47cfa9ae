"""The Responses protocol without I/O: events, lanes, one state machine. Pure."""
