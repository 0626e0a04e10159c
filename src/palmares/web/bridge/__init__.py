"""Events of bridge teams: which there are, and one with its list, its ties and its matches."""
