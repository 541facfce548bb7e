"""Who met whom, each two once: how often, and what one scored against the other."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np

from ludometer.arrays import Codes, Counts, Floats, Halves
from ludometer.kernels.skills.links import Singles, add_opponents, tally_links


@dataclass(frozen=True, eq=False)
class Links:
    """Links in list layout: row i has the players with a higher code whom player i met."""

    starts: Counts
    opponent: Codes
    times: Singles
    """How often the two met."""
    scored: Singles
    """What the row's player scored in these matches; empty where results were not given."""

    @classmethod
    def of(cls, first: Codes, second: Codes, n_players: int, *, halves: Halves | None = None) -> Self:
        """Tally who met whom; `halves` are what the first player of each match scored, in half points.

        >>> links = Links.of(np.array([0, 1, 0], np.int32), np.array([1, 0, 2], np.int32), 3)
        >>> links.opponent.tolist(), links.times.tolist(), links.degree.tolist()
        ([1, 2], [2.0, 1.0], [3.0, 2.0, 1.0])
        """
        # all of one kind, so that nothing is compiled twice
        results = np.empty(0, np.int8) if halves is None else halves
        return cls(*tally_links(_read_only(first), _read_only(second), _read_only(results), n_players))

    def __len__(self) -> int:
        return len(self.opponent)

    @property
    def n_players(self) -> int:
        """All players, also those who met nobody."""
        return len(self.starts) - 1

    @cached_property
    def degree(self) -> Floats:
        """Matches of each player."""
        return self.add_opponents(np.ones(self.n_players))

    def add_opponents(self, x: Floats) -> Floats:
        """The sum of x over the opponents in all matches of each player."""
        x = np.ascontiguousarray(x)
        total = np.empty_like(x)
        add_opponents(self.starts, self.opponent, self.times, x, total)
        return total

    def correlate(self, x: Floats) -> float:
        """The correlation of x between those who met, each match counted both ways round."""
        around = x - self.degree @ x / self.degree.sum()
        variance = float(self.degree @ around**2)
        return float(around @ self.add_opponents(around)) / variance if variance > 0 else 0.0


def _read_only(array: Any) -> Any:
    view = np.ascontiguousarray(array).view()
    view.setflags(write=False)
    return view
