"""Scores of teams: IMPs, victory points, standings and ties."""
