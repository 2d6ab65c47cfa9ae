"""Documents, positions, anchors, diffs and reply parsing. Pure."""
