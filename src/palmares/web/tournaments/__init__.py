"""Tournaments: which there are, and one with its flights, points and entries."""
