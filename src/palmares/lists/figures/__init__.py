"""What players ask of a list: where they stand, what they lose, what they could gain, and why."""
