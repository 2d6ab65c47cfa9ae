"""Redline: two model tiers behind the editor a developer already uses."""

__version__ = "0.1.0"
