"""What every page needs: state, caching, limits, errors, languages."""
