"""The imports above the range that an edit adds or removes."""
