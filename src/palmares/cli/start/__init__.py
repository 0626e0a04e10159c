"""start: from nothing to a federation's first published list."""
