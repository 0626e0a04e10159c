"""Reports in TOML: read, written, and what is wrong with them."""
