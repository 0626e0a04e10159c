"""The site: rankings people look at, desks for directors and officers, and an API."""
