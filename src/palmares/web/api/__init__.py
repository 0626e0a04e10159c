"""The REST API under /api/v1: the data of the pages, for programs."""
