"""Commands for events: the draw, the notice, the matches."""
