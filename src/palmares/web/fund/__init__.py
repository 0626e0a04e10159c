"""The streaming fund: its accounts, and what each tournament paid in and out."""
