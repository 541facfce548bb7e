"""Ratings on the scale of a game's own scores: series Elo, its audit and its rivals."""
