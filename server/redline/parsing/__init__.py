"""Work on hostile text, in processes that can be killed."""
