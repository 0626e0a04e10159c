"""Tournaments, from the notice and the draw through live events to the results."""
