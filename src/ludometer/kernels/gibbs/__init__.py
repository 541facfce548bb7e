"""The Gibbs sampler for the spread of skills in a population: two players per match, or several."""
