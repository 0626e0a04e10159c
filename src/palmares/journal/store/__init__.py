"""The chain of entries in its database."""
