"""What every room needs: errors, messages, files, progress. Nothing about competitions."""
