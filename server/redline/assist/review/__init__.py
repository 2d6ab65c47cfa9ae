"""Deep reviews: background jobs of the reasoning tier; nothing they find is lost."""
