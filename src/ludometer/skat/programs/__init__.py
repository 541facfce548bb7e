"""Programs that play Skat, and comparisons of players on the same deals."""
