"""Signing in, and one's own account."""
