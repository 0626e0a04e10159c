"""Facts larger than memory: DuckDB and processes."""
