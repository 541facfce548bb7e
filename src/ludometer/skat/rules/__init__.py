"""The rules of Skat: cards, game values, lists and series."""
