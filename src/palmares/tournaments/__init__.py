"""An event from its announcement to its bracket: the public draw."""
