"""An event: its notice, its public draw, play by each system, prizes, report."""
