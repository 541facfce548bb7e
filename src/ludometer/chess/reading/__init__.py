"""Chess files: games in PGN with their moves, tables of evaluations."""
