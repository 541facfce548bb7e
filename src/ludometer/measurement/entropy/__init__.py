"""Luck as entropy: L, skill chains, repetitions."""
