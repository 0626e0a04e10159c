"""Public draws: which were announced, and each one step by step."""
