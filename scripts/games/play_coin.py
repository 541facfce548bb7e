"""A coin: forty players who toss it against each other, so there is nothing to be good at."""

from __future__ import annotations

from ladder import Ladder, Scores, Task, chance


def play(task: Task) -> Scores:
    """Heads, and the first player wins."""
    heads = float(chance("coin", task[0]).random() < 0.5)
    return heads, 1 - heads


LADDER = Ladder("coin", [f"tosser {number}" for number in range(1, 41)], play, matches=8_000)
