"""The site: rankings people look at, and desks for directors and officers."""
