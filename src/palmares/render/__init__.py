"""Rows and series as bytes: tables, charts, pages."""
