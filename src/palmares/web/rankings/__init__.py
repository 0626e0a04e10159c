"""Rankings of players and nations, totals, and the front page."""
