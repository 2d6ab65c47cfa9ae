"""What goes with an instruction: images, and files and definitions that it names."""
