"""What files of data and of settings say of each other's names and of their keys."""
