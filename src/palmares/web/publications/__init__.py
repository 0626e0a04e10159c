"""Published lists: which there are, one as it was announced, its verification, and their feed."""
