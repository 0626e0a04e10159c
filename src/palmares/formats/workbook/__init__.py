"""Spreadsheets of strangers, read in a process of their own."""
