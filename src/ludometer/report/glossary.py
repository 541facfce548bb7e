"""The words of a report on skill and chance, each with its meaning."""

from __future__ import annotations

GLOSSARY = (
    ("95% interval", "Values that agree with the record. Of 20 such intervals about 19 hold the true value."),
    ("benchmark", "A simulated game with a known share of skill, on the schedule of the record."),
    ("check", "The same analysis with one choice changed: it shows how much the answer depends on that choice."),
    ("Elo rating", "A player's number, moved after every match by how far the result missed the expectation."),
    ("Elo points", "The unit of ratings. 0 points apart: 50%; 100 points: 64%; 200 points: 76%; 400 points: 91%."),
    ("match", "One row of the record: players, and how it ended."),
    ("p-value", "How often a game of exactly the supposed kind would look at least as extreme as this record. It is "
     "not the probability that the supposition is true."),
    ("predominance", "Whether more than half of what decides a match is skill, or chance."),
    ("primary analysis", "The one that the answer rests on; its choices are fixed before any result is seen."),
    ("record", "All matches of the file."),
    ("regular", "A player with at least 25 matches."),
    ("schedule", "Who met whom, and when, without the results."),
    ("SD", "Standard deviation: how far values spread around their mean."),
    ("seat", "A player's place in a match: first or second, White or Black, home or away."),
    ("seed", "The number that random numbers start from. The same seed gives the same report."),
    ("session", "Matches that share circumstances, such as those of one evening."),
    ("SHA-256", "A fingerprint of a file: any change of the file changes it."),
    ("skill share", "The x of the benchmark in which the better player wins x% of matches outright, a coin decides the "
     "rest, and ratings spread as far as in the record."),
    ("yardstick", "The scale of benchmarks that the record is held against."),
)  # fmt: skip
