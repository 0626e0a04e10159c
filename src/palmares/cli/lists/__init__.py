"""Commands for points and lists: award, rank, explain, publish, compare."""
