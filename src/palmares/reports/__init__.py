"""One reader per shape of report; a reader never repairs, converts or merges people."""
