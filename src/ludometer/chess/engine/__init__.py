"""Chess engines: talking to them, keeping what they evaluate, analysing, playing and following games."""
