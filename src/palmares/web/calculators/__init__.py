"""Calculators: small facts from a form, awarded and explained as any others."""
