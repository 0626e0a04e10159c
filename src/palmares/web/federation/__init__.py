"""The face of the federation: its name, logo and colour, and the page where they are set."""
