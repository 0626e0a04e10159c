"""The public draw: announced first, drawn by randomness that no one controls, checked by anyone."""
