"""What is recorded of edits and reviews: times, tokens, cost, outcome."""
