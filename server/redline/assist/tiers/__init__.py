"""The models that fill the tiers."""
