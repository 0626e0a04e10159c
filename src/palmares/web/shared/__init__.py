"""What the slices of the site share: names, days of lists, pages of rows, points as text."""
