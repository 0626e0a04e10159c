"""The demonstration: a tour and a filled site."""
