"""The spread of skills in the population, by the Gibbs sampler."""
