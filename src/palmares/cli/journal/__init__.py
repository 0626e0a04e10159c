"""Commands of a journal."""
