"""Deep reviews: jobs in the background, from what is asked for to what is found."""
