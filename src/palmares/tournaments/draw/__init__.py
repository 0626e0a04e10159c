"""The public draw: announced first, drawn by randomness nobody controls, checked by anyone."""
