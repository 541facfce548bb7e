"""Skill and luck in backgammon as JSON, text, charts and a page."""
