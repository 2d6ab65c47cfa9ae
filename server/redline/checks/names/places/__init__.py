"""Where the names that a file uses are declared in a workspace, by language."""
