"""The evidence for a spread of skills without draws: expectation propagation over pairs or orders, and traces."""
