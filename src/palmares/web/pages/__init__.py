"""Pages: what each shows, as a dataclass, and how it is made from what is known."""
