"""Tournament systems, such as knockout and Swiss: one file for each."""
