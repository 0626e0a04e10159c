"""Official lists: kept up to date, published, verified and compared."""
