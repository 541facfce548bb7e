"""How far ratings lie from the truth: noise, drift, bounds, and the best step."""
