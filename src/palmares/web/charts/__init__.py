"""Charts of the site."""
