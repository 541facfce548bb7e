"""Rating error: noise, drift, bounds, and the best update step."""
