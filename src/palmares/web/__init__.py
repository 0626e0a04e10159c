"""The site and its REST API."""
