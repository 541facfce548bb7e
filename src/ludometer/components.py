"""Connected parts of the record: ratings of players who are linked by no chain of matches cannot be compared."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ludometer.errors import MatchDataError
from ludometer.matches import Matches, Pairs


@dataclass(frozen=True)
class Connected:
    """Matches of the components that were kept, and how much was left out."""

    matches: Matches
    n_components: int
    dropped_matches: int
    dropped_players: int


def keep_connected(matches: Matches, *, min_players: int | None = None) -> Connected:
    """Keep the largest component of "has played against", or all with at least `min_players`.

    Duersch et al. 2020, section 3, keep the largest. Of equally large ones the one with the earliest player stays.

    >>> islands = Matches.of_pairs([0, 1, 3], [1, 2, 4], [1, 0, 1])
    >>> len(keep_connected(islands).matches), len(keep_connected(islands, min_players=2).matches)
    (2, 3)
    """
    from ludometer.kernels.components import components

    first, second = _links(matches)
    label = components(first, second, len(matches.players))
    size = np.bincount(label)
    played = matches.counts > 0
    if min_players is None:
        kept = label == (np.argmax(size) if len(size) else 0)
    else:
        kept = size[label] >= min_players
    kept &= played
    if not kept.any():
        raise MatchDataError(
            f"no group has {min_players:,} players; the largest has {size.max(initial=0):,}"
            if min_players is not None and len(matches)
            else "there are no matches"
        )
    if kept.all():
        return Connected(matches, len(size), 0, 0)
    inside = matches.take(kept[first]) if isinstance(matches.table, Pairs) else matches.take(kept[_one_seat(matches)])
    return Connected(
        inside.recode(kept),
        len(np.unique(label[played])),
        len(matches) - len(inside),
        int((played & ~kept).sum()),
    )


def _links(matches: Matches) -> tuple[np.ndarray[tuple[int], np.dtype[np.int32]], ...]:
    """Enough pairs to connect all who met: in a match of several each seat is linked with the first."""
    table = matches.table
    if isinstance(table, Pairs):
        return table.first, table.second
    hub = np.repeat(_one_seat(matches), table.sizes)
    return hub, table.player


def _one_seat(matches: Matches) -> np.ndarray[tuple[int], np.dtype[np.int32]]:
    seats = matches.seats
    return seats.player[seats.starts[:-1]]
