"""What is done at the desks of directors and officers, whoever asks: a form, or a program."""
