"""Other tools whose completions are replayed beside ours."""
