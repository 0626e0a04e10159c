"""A journal's awards, kept as the journal grows."""
