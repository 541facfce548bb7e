"""Programs that play Skat, and the same deals played by several of them."""
