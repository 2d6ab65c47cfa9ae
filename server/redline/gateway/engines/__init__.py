"""What answers inside the gateway, one module an engine."""
