"""Accounts: who signs in, and how the site knows them."""
