"""What is wrong with a candidate."""
