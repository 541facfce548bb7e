"""What the bundled games share: who meets whom, chance that belongs to one match, and the file they are written to.

Every match depends on its number and its players only, so the first matches of a file can be made again alone, and
any number of processes makes the same file. Chance comes from Python's own generator, whose stream is the same in all
its versions.
"""

from __future__ import annotations

import gzip
import random
from bisect import bisect
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, chain, islice
from multiprocessing import Pool
from pathlib import Path

Task = tuple[int, tuple[int, ...]]
"""The number of a match and who plays it, as places in `Ladder.players`."""
Scores = tuple[float, ...]
"""What each player of a match scored."""


@dataclass(frozen=True)
class Ladder:
    """A game, its players of graded skill, and how they play a match."""

    name: str
    players: Sequence[str]
    play: Callable[[Task], Scores]
    matches: int
    seats: int = 2
    play_many: Callable[[Sequence[Task]], Sequence[Scores]] | None = None
    """Plays several at once, where that is faster than one by one."""

    def lines(self, first: int | None = None, *, jobs: int = 1) -> Iterator[str]:
        """The lines of the file, or of its first matches."""
        tasks = list(islice(enumerate(self.meetings()), first))
        yield "player_1,player_2,score_1" if self.seats == 2 else "match,player,score"
        for (number, seated), scores in zip(tasks, self._outcomes(tasks, jobs), strict=True):
            names = [self.players[player] for player in seated]
            if self.seats == 2:
                yield f"{names[0]},{names[1]},{scores[0]:g}"
            else:
                yield from (f"{number + 1},{name},{score:g}" for name, score in zip(names, scores, strict=True))

    def meetings(self) -> Iterator[tuple[int, ...]]:
        """Who meets whom: at random, some players up to four times as often as others, whatever their skill."""
        rng = chance(self.name, "meetings")
        often = list(accumulate(0.5 + 1.5 * rng.random() for _ in self.players))
        for _ in range(self.matches):
            seated: list[int] = []
            while len(seated) < self.seats:
                player = bisect(often, rng.random() * often[-1])
                if player not in seated:
                    seated.append(player)
            yield tuple(seated)

    def _outcomes(self, tasks: Sequence[Task], jobs: int) -> Iterator[Scores]:
        batches = [tasks[begin : begin + 50] for begin in range(0, len(tasks), 50)]
        if jobs == 1:
            yield from chain.from_iterable(map(self.play_batch, batches))
            return
        with Pool(jobs) as pool:
            yield from chain.from_iterable(pool.imap(self.play_batch, batches))

    def play_batch(self, tasks: Sequence[Task]) -> Sequence[Scores]:
        """Some matches."""
        return self.play_many(tasks) if self.play_many is not None else [self.play(task) for task in tasks]


def chance(*what: object) -> random.Random:
    """A generator of its own for what is named."""
    return random.Random(" ".join(map(str, what)))


def write(lines: Iterable[str], path: Path) -> None:
    """Packed, and the same bytes for the same lines."""
    path.write_bytes(gzip.compress("".join(f"{line}\n" for line in lines).encode(), compresslevel=9, mtime=0))
