"""How an event is played: one file for each format."""
