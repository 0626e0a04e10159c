"""The streaming fund: its statement, and that of each tournament."""
