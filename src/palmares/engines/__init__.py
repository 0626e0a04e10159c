"""How grants reach the formulas: one row at a time in Python, or compiled for bulk."""
