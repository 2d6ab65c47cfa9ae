"""What a review is about: the change, read from git and files."""
