"""Players: found by name, on every list, under one regulation, and why they have their points."""
