"""Conversations and background responses, in memory or in the shared store."""
