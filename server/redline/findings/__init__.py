"""The findings of a review: parsed from answers, anchored, judged, reported (pure)."""
