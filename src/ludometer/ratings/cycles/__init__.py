"""Cycles: A beats B beats C beats A, how many there are and what they cost."""
