"""Reports on their way to the journal."""
