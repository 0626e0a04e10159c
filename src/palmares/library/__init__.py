"""What ``import palmares`` offers."""
