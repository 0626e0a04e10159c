"""Recognition: races and their standings, levels and who reached them."""
