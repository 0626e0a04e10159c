"""Results in CSV files and spreadsheets."""
