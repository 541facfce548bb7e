"""Card luck: features of a hand, chances of winning, the value of a deal, chance factors."""
