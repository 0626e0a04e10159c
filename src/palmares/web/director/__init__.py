"""Reports of directors."""
