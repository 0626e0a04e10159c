"""Nations: on every list, and their points over time."""
