"""Skat: cards, the value of a game, the score of a series."""
