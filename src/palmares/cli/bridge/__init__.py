"""Commands of bridge."""
