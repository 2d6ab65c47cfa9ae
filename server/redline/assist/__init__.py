"""The use cases of Redline, a folder for each, and folders for what they share."""
