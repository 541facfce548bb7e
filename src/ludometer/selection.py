"""Records restricted to connected players, whose ratings can be compared, to players with some experience, or without
repeated matches.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ludometer.arrays import Array, Codes, Counts, Mask
from ludometer.errors import LudometerError, MatchDataError
from ludometer.matches import Matches, Pairs


@dataclass(frozen=True)
class Connected:
    """Matches of the components that were kept, and how much was left out."""

    matches: Matches
    n_components: int
    dropped_matches: int
    dropped_players: int
    mask: Mask | None = None
    """Which matches were kept; None if all."""


def keep_connected(matches: Matches, *, min_players: int | None = None) -> Connected:
    """Keep the largest component of "has played against", or all with at least `min_players`.

    Duersch et al. 2020, section 3, keep the largest. Of equally large ones the one with the earliest player stays.

    >>> islands = Matches.of_pairs([0, 1, 3], [1, 2, 4], [1, 0, 1])
    >>> len(keep_connected(islands).matches), len(keep_connected(islands, min_players=2).matches)
    (2, 3)
    """
    from ludometer.kernels.skills.graph import components

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
    mask = kept[first] if isinstance(matches.table, Pairs) else kept[_one_seat(matches)]
    inside = matches.take(mask)
    return Connected(
        inside.recode(kept),
        len(np.unique(label[played])),
        len(matches) - len(inside),
        int((played & ~kept).sum()),
        mask,
    )


def drop_repeats(matches: Matches) -> Matches:
    """Without exact repeats: of matches with the same time, players and result (and scores) only the first stays.

    A record that was put together from several files often has some matches twice. Without times nothing tells a copy
    from another match, and all stay. If times are days, a second match on one day that ended alike goes too.

    >>> days = np.array(["2024-01-01", "2024-01-01", "2024-01-02"], "datetime64[D]")
    >>> len(drop_repeats(Matches.of_pairs([0, 0, 0], [1, 1, 1], [1, 1, 1], time=days)))
    2
    """
    time = matches.time
    if time is None or len(matches) < 2:
        return matches
    table = matches.table
    if isinstance(table, Pairs):
        keys: list[Array] = [table.halves, table.second, table.first]
        if matches.score is not None:
            keys += [matches.score[0::2], matches.score[1::2]]
        repeats = _repeats([*keys, time])
        return matches if not repeats.any() else matches.take(~repeats)
    repeats = np.zeros(len(matches), bool)
    for size in np.unique(table.sizes):
        rows = np.flatnonzero(table.sizes == size)
        seats = table.starts[:-1][rows][:, None] + np.arange(size)
        known: list[Array] = [table.player, table.place, *([] if matches.score is None else [matches.score])]
        repeats[rows] = _repeats([*(own[seats[:, seat]] for own in known for seat in range(size)), time[rows]])
    return matches if not repeats.any() else matches.take(~repeats)


def _repeats(keys: Sequence[Array]) -> Mask:
    """Rows that equal an earlier one in all keys; NaN equals NaN."""
    order = np.lexsort(keys)
    same = np.ones(len(order) - 1, bool)
    for key in keys:
        before, after = key[order][:-1], key[order][1:]
        same &= (before == after) | ((before != before) & (after != after))  # noqa: PLR0124 - NaN
    repeats = np.zeros(len(order), bool)
    repeats[order[1:][same]] = True
    return repeats


def _links(matches: Matches) -> tuple[np.ndarray[tuple[int], np.dtype[np.int32]], ...]:
    """Enough pairs to connect all who met: in a multiplayer match each seat is linked with the first."""
    table = matches.table
    if isinstance(table, Pairs):
        return table.first, table.second
    hub = np.repeat(_one_seat(matches), table.sizes)
    return hub, table.player


def _one_seat(matches: Matches) -> np.ndarray[tuple[int], np.dtype[np.int32]]:
    seats = matches.seats
    return seats.player[seats.starts[:-1]]


def earlier_matches(player: Codes) -> Counts:
    """For each seat, in how many earlier ones the same player sat.

    >>> earlier_matches(np.array([0, 1, 0, 2, 0])).tolist()
    [0, 0, 1, 0, 2]
    """
    from ludometer.kernels.skills.averages import count_earlier

    played = np.zeros(int(player.max(initial=-1)) + 1, np.int64)
    return count_earlier(np.ascontiguousarray(player, np.int32), played)


def least_experience(matches: Matches) -> Codes | Counts:
    """For each match, how many matches its least experienced player had played before."""
    return _experience(matches)[0]


def _experience(matches: Matches) -> tuple[Codes | Counts, Codes | Counts]:
    """For each match, how many matches its least and its most experienced player had played before."""
    from ludometer.kernels.skills.averages import count_earlier_of_pairs

    table = matches.table
    if isinstance(table, Pairs):
        return count_earlier_of_pairs(table.first, table.second, len(matches.players))
    earlier = earlier_matches(table.player)
    return np.minimum.reduceat(earlier, table.starts[:-1]), np.maximum.reduceat(earlier, table.starts[:-1])


def with_experience(matches: Matches, text: str) -> Matches:
    """Only matches whose players all had so many earlier ones: "150:250" is from 150 to 250, "150:" or ":250" too.

    >>> duels = Matches.of_pairs([0, 0, 0], [1, 1, 1], [1, 0, 1])
    >>> len(with_experience(duels, "1:")), len(with_experience(duels, ":0"))
    (2, 1)
    """
    low, colon, high = text.partition(":")
    try:
        least, most = int(low or 0), int(high) if high.strip() else None
    except ValueError:
        colon = ""
    if not colon or least < 0 or (most is not None and most < least):
        raise LudometerError(
            f"--experience {text}: write two numbers of matches, such as 150:250, or one, such as 150:"
        )
    if not len(matches):
        return matches
    fewest, highest = _experience(matches)
    inside = fewest >= least
    if most is not None:
        inside &= highest <= most
    if not inside.any():
        raise MatchDataError(f"in no match did all players have {text} earlier matches")
    kept = matches.take(inside)
    return kept.recode(kept.counts > 0)
