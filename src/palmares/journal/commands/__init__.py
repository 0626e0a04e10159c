"""What officers and directors do to a journal."""
