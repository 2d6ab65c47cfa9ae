"""What a compiler refuses, as far as a file's own tree shows it for certain."""
