"""One sequential pass over the matches for each rating system, in natural units."""
