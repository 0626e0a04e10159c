"""Facts larger than memory: DuckDB and processes."""

from palmares.core.extras import needs

needs("duckdb", "The engine duckdb")
