"""The officers' pages."""
