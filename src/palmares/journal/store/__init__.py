"""The chain of entries in its database."""

from palmares.core.extras import needs

needs("journal", "A journal")
