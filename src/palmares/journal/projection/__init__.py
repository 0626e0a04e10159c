"""What follows from the entries: persons, facts, snapshots."""
