"""Names in languages other than Python that nothing defines."""
