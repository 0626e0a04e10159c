"""A chain of entries that is only ever added to, and what follows from it."""
