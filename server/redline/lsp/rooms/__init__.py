"""What reviews, plans and test runs of an editor are built from."""
