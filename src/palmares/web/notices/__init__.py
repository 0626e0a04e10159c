"""Notices of events: all of them, one with every change, and the desk that publishes them."""
