"""Grants and awards as numbers: one row at a time in Python, or compiled for bulk."""
