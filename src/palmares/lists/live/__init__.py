"""A journal's awards, kept up to date."""
