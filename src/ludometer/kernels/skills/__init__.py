"""Likelihoods of skills, their curvature, ranks and the equations that give standard errors."""
