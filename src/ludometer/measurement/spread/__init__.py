"""How far ratings spread, whom players met, and whether a lead persists."""
