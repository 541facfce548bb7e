"""Games of chess: the rules, PGN files, tables of evaluations, and where evaluations come from."""
