"""Plans of one editor: planned, carried out on an overlay, reviewed, applied."""
