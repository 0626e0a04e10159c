"""Charts of histories and standings."""
