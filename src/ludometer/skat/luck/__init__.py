"""The luck of the cards: features of a hand, chances of winning, chance factors."""
