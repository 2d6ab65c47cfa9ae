"""What a review finds: read from an answer, anchored, judged, reported (pure)."""
