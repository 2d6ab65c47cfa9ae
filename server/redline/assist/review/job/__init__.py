"""The job of one review: its steps, from the gathered change to verified findings."""
