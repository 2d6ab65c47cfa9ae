"""Next edits: the rules are run after a change has settled, off the keystroke."""
