"""Luck by other definitions than the spread of ratings: entropy, the spread of a population, older measures."""
