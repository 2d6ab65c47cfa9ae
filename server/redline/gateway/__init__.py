"""The local server of the Responses protocol, in front of an engine."""
