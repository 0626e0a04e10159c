"""Bridge: standings of events of teams, and how each team came to its VPs."""
