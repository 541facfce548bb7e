"""Strength from moves as JSON, text, charts and a page; games annotated in PGN."""
