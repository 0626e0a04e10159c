"""Published lists: their pages, feed, manifests and verification."""
