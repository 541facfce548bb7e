"""Matches between engines: pairs of games with one opening, error bars, likelihood of superiority, sequential tests."""
