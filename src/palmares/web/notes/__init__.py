"""Mistakes that readers report, and the officers who look at them."""
