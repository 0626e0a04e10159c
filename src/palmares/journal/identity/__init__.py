"""Who is who: names, records and duplicates."""
