"""A streaming fund: what is granted, raised and paid for a tournament, and what carries over."""
