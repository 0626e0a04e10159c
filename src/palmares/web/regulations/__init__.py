"""Regulations: all of them, one edition in its own order and words, and two side by side."""
