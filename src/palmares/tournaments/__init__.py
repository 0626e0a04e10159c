"""An event: its notice, its public draw, play in each format, prizes, report."""
