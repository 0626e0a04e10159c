"""What any program of ours needs, and nothing about competitions."""
