"""Published lists: which there are, one as it was announced, its proof, and their feed."""
