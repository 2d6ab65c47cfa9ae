"""What `redline doctor` examines, and its report."""
