"""Routes: an address, what it takes, and the page it gives."""
