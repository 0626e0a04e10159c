"""Recognition: races over a season, and levels that players have reached."""
