"""The engines of the gateway, one per module."""
