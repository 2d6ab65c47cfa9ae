"""The interface of engines, and the engines, one per module."""
