"""Repeats: a record that holds its matches more than once.

Platforms export a match once for each player, files are appended to themselves, exports overlap. Such a record looks
like skill: what happened once happens again. But real records hold equal rows too (two matches on one day that ended
alike), so equal rows prove nothing. What proves it is that they always agree: where two meetings of the same players
end alike far more regularly than meetings do elsewhere in the record, they are one match that was written several
times. Then counts are divided by the factor, not reduced to one, so that a day with two equal matches keeps both.

Every match has a key that is the same from either side. Meetings are looked at together if they have the same time or,
where there are no times, stand in adjacent rows. Without times three more layouts are looked for: stretches of rows
that come again further down, whole records in another order, and histories that hold a match under either player.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ludometer.arrays import Counts, Floats, Mask
from ludometer.errors import MatchDataError
from ludometer.matches import Matches, Pairs
from ludometer.wording import percent

RepeatsChoice = Literal["divide", "drop", "keep"]
"""What becomes of repeats: a record that was multiplied is divided by its factor; of equal rows only one stays; or
all stay."""
Kind = Literal["none", "exact", "mirrored", "appended", "overlapping"]
Keys = NDArray[np.uint64]

_FACTORS = (6, 5, 4, 3, 2)
_EVIDENCE = -math.log(1e-6)
"""How unlikely agreement must be, if matches were played and not copied, before rows are called copies."""
_FEWEST = 20
"""Groups of equal rows, below which nothing is said."""
_SHORTEST = 30
"""The shortest stretch that is called multiplied."""
_UNTELLABLE = 0.9
"""If meetings agree as often as this anyway, copies cannot be told from matches by their agreement."""
_UNKNOWN = 0.75
"""How often meetings agree at most, unless the record shows that it is more."""
_EXCEPTIONS, _DOUBTFUL = 0.01, 0.05
"""The share of groups that may disagree in a record put together from copies; and up to which it is doubtful."""
_MATTERS, _LARGE = 0.01, 0.002
"""Repeats below the first share of the rows change nothing and stay, as a real record has some; but a single stretch
above the second goes."""
_PART = 1 << 20
_WINDOW, _SPACING = 32, 16
"""Rows that are compared at once to find stretches that come again; one row in so many begins such a comparison."""
_MOST_LAGS = 64


@dataclass(frozen=True)
class Repeats:
    """What was found, and what became of it."""

    kind: Kind = "none"
    factor: int = 1
    """How often the repeated matches stand in the record."""
    found: int = 0
    """Rows that say again what another row says."""
    dropped: int = 0

    def lines(self) -> tuple[str, ...]:
        """In words."""
        if self.kind == "none":
            return ()
        rows = f"{self.found:,} row{'s' if self.found > 1 else ''}"
        says = {
            "exact": f"{rows} repeat a match that stands in another row",
            "mirrored": f"{rows} repeat a match from the other player's side",
            "appended": f"the record stands in the file {self.factor} times, one after another: {rows} are repeats",
            "overlapping": f"parts of the file overlap: {rows} repeat matches that stand elsewhere",
        }[self.kind]
        if not self.dropped:
            return (f"{says}; they are kept, as asked, and make a game look more like skill",)
        return (f"{says}; left out (--repeats keep counts them)",)

    def document(self) -> dict[str, Any]:
        """The JSON."""
        return vars(self) | {}


def undo_repeats(matches: Matches, choice: RepeatsChoice = "divide") -> tuple[Matches, Repeats]:
    """The matches without those that stand in the record again, and what was found.

    >>> first, second, won = np.random.default_rng(0).integers([[0], [10], [0]], [[10], [20], [2]], size=(3, 80))
    >>> coin = Matches.of_pairs(first, second, won)
    >>> twice = coin.take(np.repeat(np.arange(80), 2))
    >>> whole, found = undo_repeats(twice)
    >>> found.kind, found.dropped, whole.fingerprint == coin.fingerprint
    ('exact', 80, True)
    """
    if choice == "drop":
        return _drop_equal(matches)
    if len(matches) < 2 * _FEWEST:
        return matches, Repeats()
    kept, kind, factor = _find_copies(matches)
    found = int(len(matches) - np.count_nonzero(kept))
    if not found:
        return matches, Repeats()
    if choice == "keep":
        return matches, Repeats(kind, factor, found)
    return matches.take(kept), Repeats(kind, factor, found, found)


def _drop_equal(matches: Matches) -> tuple[Matches, Repeats]:
    """Of rows with equal players and result, at one time or in adjacent rows, only the first stays."""
    keys = Meetings.of(matches)
    groups = _Groups.of(keys, keys.together(1))
    kept = np.ones(len(matches), bool) if groups is None else groups.rank == 0
    if keys.time is None:
        kept[np.flatnonzero(kept)[_find_stretches(keys.only(kept))]] = False
    found = int(len(matches) - np.count_nonzero(kept))
    if not found:
        return matches, Repeats()
    factor = max(2, round(len(matches) / (len(matches) - found)))
    return matches.take(kept), Repeats("exact", factor, found, found)


def _find_copies(matches: Matches) -> tuple[Mask, Kind, int]:
    """Which rows stay, how the others came about, and how often a repeated match stands in the record."""
    keys = Meetings.of(matches)
    kept = np.ones(len(matches), bool)
    kind: Kind = "none"
    factor = 1
    together = _divide_groups(keys)
    if together is None and matches.time is not None:
        # the views of a match may have times of their own, a moment apart
        together = _divide_groups(replace(keys, time=None))
    if together is not None:
        kept, kind, factor = together
    if matches.time is not None:
        return kept, kind, factor
    for look in (_find_stretches, _find_shuffled, _find_histories):
        rows = np.flatnonzero(kept)
        copies = look(keys.only(kept) if len(rows) < len(kept) else keys)
        n_copies = np.count_nonzero(copies)
        if not n_copies:
            continue
        kept[rows[copies]] = False
        times = round(len(rows) / (len(rows) - n_copies))
        is_whole = abs(len(rows) / times - (len(rows) - n_copies)) < 1 and times > 1
        if kind == "none":
            kind = "mirrored" if look is _find_histories else "appended" if is_whole else "overlapping"
        factor *= times if is_whole else max(2, times) if factor == 1 else 1
    return kept, kind, factor


@dataclass(frozen=True, eq=False)
class Meetings:
    """For each match, who met and how it ended, as hashes that are the same from every player's side."""

    who: Keys
    outcome: Keys
    """Who met and how it ended."""
    first: NDArray[Any]
    """The player who is listed first."""
    drawn: Mask | None
    """None where matches are not between two."""
    won: Mask | None
    second: NDArray[Any] | None
    time: NDArray[Any] | None

    @classmethod
    def of(cls, matches: Matches) -> Meetings:
        """In parts, so that a long record needs little beside two hashes per match."""
        who, outcome = np.empty(len(matches), np.uint64), np.empty(len(matches), np.uint64)
        start = 0
        for part in matches.parts(_PART):
            stop = start + len(part)
            hashed = _hash_pairs(part) if isinstance(part.table, Pairs) else _hash_seats(part)
            who[start:stop], outcome[start:stop] = hashed
            start = stop
        table = matches.table
        if isinstance(table, Pairs):
            return cls(who, outcome, table.first, table.halves == 1, table.halves == 2, table.second, matches.time)
        return cls(who, outcome, table.player[table.starts[:-1]], None, None, None, matches.time)

    def __len__(self) -> int:
        return len(self.who)

    def only(self, kept: Mask | slice) -> Meetings:
        """Some of these."""
        return replace(self, **{name: own[kept] for name, own in vars(self).items() if own is not None})

    def together(self, fewest: float) -> Keys | None:
        """A label for each row, which meetings share that are looked at together; None if fewer repeat a label."""
        if self.time is None:
            new = np.ones(len(self), bool)
            new[1:] = self.who[1:] != self.who[:-1]
            if np.count_nonzero(~new) < fewest:
                return None
            return np.cumsum(new, dtype=np.uint64)
        label = mixed(self.who + self.time.view(np.uint64))
        ordered = np.sort(label)
        return None if np.count_nonzero(ordered[1:] == ordered[:-1]) < fewest else label


def _hash_pairs(part: Matches) -> tuple[Keys, Keys]:
    table = part.pairs
    is_lower = table.first < table.second
    low, high = np.where(is_lower, table.first, table.second), np.where(is_lower, table.second, table.first)
    who = mixed((low.astype(np.uint64) << np.uint64(32)) | high.astype(np.uint64))
    result = np.where(is_lower, table.halves, 2 - table.halves).astype(np.uint64)
    outcome = mixed(who + result + np.uint64(1))
    if part.score is not None:
        ones, others = part.score[0::2], part.score[1::2]
        for points in (np.where(is_lower, ones, others), np.where(is_lower, others, ones)):
            outcome = mixed(outcome ^ _bits(points))
    return who, outcome


def _hash_seats(part: Matches) -> tuple[Keys, Keys]:
    """Sums over the seats, so that their order makes no difference."""
    table = part.seats
    player = mixed(table.player.astype(np.uint64) + np.uint64(1))
    seat = mixed(player ^ table.place.astype(np.uint64))
    if part.score is not None:
        seat = mixed(seat ^ _bits(part.score))
    who, outcome = (np.add.reduceat(own, table.starts[:-1]) for own in (player, seat))
    return mixed(who), mixed(outcome)


def _bits(points: Floats) -> Keys:
    """Numbers as whole numbers; every NaN is the same."""
    return np.where(np.isnan(points), -1e308, points).view(np.uint64)


def mixed(values: Keys) -> Keys:
    """Whole numbers scattered over all 64 bits (the finaliser of SplitMix64)."""
    hashed = values + np.uint64(0x9E3779B97F4A7C15)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        hashed ^= hashed >> np.uint64(shift)
        hashed *= np.uint64(factor)
    hashed ^= hashed >> np.uint64(31)
    return hashed


@dataclass(frozen=True, eq=False)
class _Groups:
    """Meetings of the same players that are looked at together, numbered by their first rows."""

    group: Counts
    """Of each row."""
    size: Counts
    """Rows of each group."""
    count: Counts
    """Of each row: how many rows of its group say the same."""
    rank: Counts
    """Of each row: how many of them stand before it."""
    order: Counts
    """Rows that do not stand alone, those that say the same together."""
    place: Counts
    """Of each row: where it stands in that order."""

    @classmethod
    def of(cls, keys: Meetings, label: Keys | None) -> _Groups | None:
        """None if no meetings are together."""
        if label is None:
            return None
        order, start, length = _runs(label)
        is_first = np.zeros(len(label), bool)
        is_first[order[start]] = True
        number = (np.cumsum(is_first) - 1)[order[start]]
        group, size = np.empty(len(label), np.int64), np.empty(len(start), np.int64)
        group[order], size[number] = np.repeat(number, length), length
        # most rows stand alone; only the others are compared
        together = np.flatnonzero(size[group] > 1)
        order, start, length = _runs(mixed(label[together]) ^ keys.outcome[together])
        count, rank, place = np.ones(len(label), np.int64), *np.zeros((2, len(label)), np.int64)
        order = together[order]
        count[order] = np.repeat(length, length)
        rank[order] = np.arange(len(order)) - np.repeat(start, length)
        place[order] = np.arange(len(order))
        return cls(group, size, count, rank, order, place)

    def source(self, rows: Counts, kept: Mask) -> Counts:
        """Of rows that do not stay: the row they are a copy of, if copies come in the order of what they copy."""
        number = np.cumsum(kept[self.order])
        begin = self.place[rows] - self.rank[rows]
        before = np.where(begin > 0, number[begin - 1], 0)
        originals = np.maximum(number[begin + self.count[rows] - 1] - before, 1)
        return np.asarray(self.order[begin + self.rank[rows] % originals])

    def divisible(self, factor: int) -> Mask:
        """Of each group: whether everything is said a multiple of so many times."""
        found = np.ones(len(self.size), bool)
        found[self.group[self.count % factor != 0]] = False
        return found


def _runs(label: Keys) -> tuple[Counts, Counts, Counts]:
    """Rows in the order of their labels, where each label begins there, and how often it appears."""
    order = np.argsort(label, kind="stable")
    ordered = label[order]
    new = np.ones(len(label), bool)
    new[1:] = ordered[1:] != ordered[:-1]
    start = np.flatnonzero(new)
    return order, start, np.diff(np.append(start, len(label)))


def _divide_groups(keys: Meetings) -> tuple[Mask, Kind, int] | None:
    """Which rows stay if meetings at one time, or in adjacent rows, are copies of each other; None if they are not."""
    # with fewer, nothing is worth a cure
    groups = _Groups.of(keys, keys.together(max(_FEWEST, _LARGE * len(keys) / 2)))
    if groups is None:
        return None
    kept = np.ones(len(keys), bool)
    chance = _agreement(keys, groups)
    free = np.ones(len(groups.size), bool)
    parts: list[tuple[int, int]] = []
    in_blocks = True
    before = np.concatenate(([0], np.cumsum(groups.size)))
    repeating = np.zeros(len(free), bool)
    repeating[groups.group[groups.count > 1]] = True
    for factor in _FACTORS:
        runs = _long_runs(groups.divisible(factor) & free, free, chance)
        for run in runs[_matter(before[runs[:, 1]] - before[runs[:, 0]], len(keys))]:
            divided = _widened(run, repeating & free) & groups.divisible(factor)
            free[divided] = False
            rows = np.flatnonzero(divided[groups.group])
            kept[rows] = _first_copies(keys, groups, rows, factor)
            parts.append((factor, len(rows)))
            in_blocks &= not kept[rows[::factor]].all()
    if parts and keys.time is not None:
        if in_blocks:
            _spare_matches(keys, groups, kept)
        _follow_copies(keys, groups, kept, free[groups.group])
    scattered = _scattered(keys, groups, free, chance)
    if scattered is not None:
        rows = np.flatnonzero(scattered[1][groups.group])
        kept[rows] = _first_copies(keys, groups, rows, scattered[0])
        parts.append((max(scattered[0], 2), len(rows)))
    if not parts:
        return None
    dropped = np.flatnonzero(~kept)
    is_turned = keys.first[dropped] != keys.first[groups.source(dropped, kept)]
    factor, n_rows = max(parts, key=lambda part: part[1])
    if np.mean(is_turned) > 0.25:
        kind: Kind = "mirrored"
    elif n_rows < len(keys):
        kind = "overlapping"
    else:
        kind = "exact" if _is_adjacent(keys, np.arange(len(keys)), factor) else "appended"
    return kept, kind, factor


def _widened(run: Counts, repeating: Mask) -> Mask:
    """The groups of a stretch and those at its ends that repeat something without being multiples."""
    start, stop = run
    ahead, behind = np.flatnonzero(~repeating[stop:]), np.flatnonzero(~repeating[:start])
    wide = np.zeros(len(repeating), bool)
    wide[behind[-1] + 1 if len(behind) else 0 : stop + ahead[0] if len(ahead) else len(wide)] = True
    return wide


def _matter(rows: Counts, n_rows: int) -> Mask:
    """Which stretches of so many rows are worth a cure."""
    large = rows >= _LARGE * n_rows
    return np.asarray(large | (rows[~large].sum() > _MATTERS * n_rows))


def _long_runs(divided: Mask, free: Mask, chance: float) -> Counts:
    """Runs of groups that are all divisible, longer than chance makes them among so many groups.

    How often a group is divisible by chance is known from those outside the runs.
    """
    runs = _edges(divided)
    length, n_free, n_divided = runs[:, 1] - runs[:, 0], int(free.sum()), int(divided.sum())
    long = np.zeros(len(runs), bool)
    rate = n_divided / max(n_free, 1)
    while True:
        odds = min(rate, chance)
        shortest = max(_SHORTEST, (_EVIDENCE + math.log(n_free)) / -math.log(odds)) if 0 < odds < 1 else math.inf
        now = length >= shortest
        if now.sum() == long.sum():
            return runs[now]
        long = now
        inside = int(length[long].sum())
        rate = max((n_divided - inside) / max(n_free - inside, 1), 1e-9)


def _edges(mask: Mask) -> Counts:
    """Where each run of True begins and where it ends, one row per run."""
    return np.flatnonzero(np.diff(np.concatenate(([False], mask, [False])).astype(np.int8))).reshape(-1, 2)


def _scattered(keys: Meetings, groups: _Groups, free: Mask, chance: float) -> tuple[int, Mask] | None:
    """The factor and the groups where copies stand here and there: meetings at one time practically always agree.

    A factor of 0 means that copies are of all numbers, and that one of each stays.
    """
    several = free & (groups.size > 1)
    n_several = int(several.sum())
    if n_several < _FEWEST:
        return None
    agreeing = {factor: several & groups.divisible(factor) for factor in _FACTORS}
    if keys.time is not None:
        spread = np.zeros(len(groups.size), bool)
        spread[groups.group[groups.count != groups.size[groups.group]]] = True
        agreeing[0] = several & ~spread
    most = max(agreeing.values(), key=np.count_nonzero)
    n_rows = int((groups.size[most] - 1).sum())
    if n_rows <= _MATTERS * len(keys):
        return None
    for factor, agree in agreeing.items():
        share = np.count_nonzero(agree) / n_several
        if share >= 1 - _EXCEPTIONS and n_several * _divergence(share, chance) > _EVIDENCE:
            return factor, agree
    share = np.count_nonzero(most) / n_several
    is_odd = chance <= _UNKNOWN and n_several * _divergence(share, chance) > _EVIDENCE
    if share >= 1 - _DOUBTFUL and is_odd:
        where = "at the same time" if keys.time is not None else "in adjacent rows"
        raise MatchDataError(
            f"{n_rows:,} of {len(keys):,} rows seem to repeat a match: where the same players meet {where}, "
            f"{percent(share)} of the results are the same. They may be copies or matches of their own: name the "
            "column that numbers the matches (--match), or say --repeats drop (count equal rows once) or --repeats "
            "keep (count all)"
        )
    return None


def _divergence(share: float, chance: float) -> float:
    """How much evidence each group brings that agreement is more than by chance."""
    if share <= chance or chance <= 0:
        return 0.0 if share <= chance else math.inf
    if chance >= 1:
        return 0.0
    rest = 0.0 if share >= 1 else (1 - share) * math.log((1 - share) / (1 - chance))
    return share * math.log(share / chance) + rest


def _first_copies(keys: Meetings, groups: _Groups, rows: Counts, factor: int) -> Mask:
    """Which of these rows stay: the original comes back, in its order and with its first players."""
    if not factor:
        return np.asarray(groups.rank[rows] == 0)
    for inner in (number for number in range(factor, 1, -1) if factor % number == 0):
        # rows that were multiplied one by one, and then perhaps the whole of them
        copy = groups.rank[rows] < groups.count[rows] // (factor // inner)
        if _is_adjacent(keys, rows[copy], inner):
            kept = np.zeros(len(rows), bool)
            kept[np.flatnonzero(copy)[::inner]] = True
            return kept
    return groups.rank[rows] < groups.count[rows] // factor


def _spare_matches(keys: Meetings, groups: _Groups, kept: Mask) -> None:
    """Keep rows that do not lie as far behind what they say again as the other copies of their time do.

    At the end of a stretch two real matches that ended alike would else be taken for a match and its copy.
    """
    assert keys.time is not None
    dropped = np.flatnonzero(~kept)
    lag = dropped - groups.source(dropped, kept)
    new = np.concatenate(([True], keys.time[dropped][1:] != keys.time[dropped][:-1]))
    slot = np.cumsum(new) - 1
    count = np.bincount(slot)
    # the median is the lag of the copies if most of them have it
    middle = lag[np.lexsort((lag, slot))[np.flatnonzero(new) + count // 2]]
    usual = lag == middle[slot]
    n_usual = np.bincount(slot, usual)
    is_spared = ~usual & (n_usual >= np.maximum(4, 0.8 * count))[slot]
    kept[dropped[is_spared]] = True


def _follow_copies(keys: Meetings, groups: _Groups, kept: Mask, free: Mask) -> None:
    """Leave out what goes on before and after copies as it does around the rows they copy, at the same time.

    Where an export begins or ends in the middle of a day, the same players may have met on this day outside it too, and
    their matches are not a multiple of anything.
    """
    assert keys.time is not None
    source = np.full(len(keys), -1, np.int64)
    source[~kept] = groups.source(np.flatnonzero(~kept), kept)
    is_source = np.zeros(len(keys), bool)
    is_source[source[~kept]] = True
    for step in (1, -1):
        rows = np.flatnonzero(~kept)
        origin = source[rows]
        while len(rows):
            rows, origin = rows + step, origin + step
            inside = (rows >= 0) & (rows < len(keys)) & (origin >= 0) & (origin < len(keys))
            rows, origin = rows[inside], origin[inside]
            same = (keys.outcome[rows] == keys.outcome[origin]) & (keys.time[rows] == keys.time[origin])
            same &= free[rows] & kept[rows] & kept[origin] & ~is_source[rows]
            rows, origin = rows[same], origin[same]
            kept[rows] = False
            is_source[origin] = True
            source[rows] = origin


def _is_adjacent(keys: Meetings, rows: Counts, factor: int) -> bool:
    """Whether copies of a row follow it at once."""
    if len(rows) % factor:
        return False
    blocks = keys.outcome[rows].reshape(-1, factor)
    return bool((blocks == blocks[:, :1]).all())


def _agreement(keys: Meetings, groups: _Groups | None = None) -> float:
    """How often two meetings of the same players agree at most, if they are matches of their own; 1 if untellable.

    Meetings that are looked at together count as one, so that copies among them make no difference.
    """
    who, outcome = keys.who, keys.outcome
    if groups is not None:
        rows = np.empty(len(groups.size), np.int64)
        rows[groups.group[::-1]] = np.arange(len(keys))[::-1]
        who, outcome = who[rows], outcome[rows]
    if len(who) > _PART:
        # all meetings of some pairs are enough
        some = who % np.uint64(8) == 0
        who, outcome = who[some], outcome[some]
    order = np.argsort(who, kind="stable")
    again = who[order][1:] == who[order][:-1]
    n_again = np.count_nonzero(again)
    seen = 1.0
    if n_again >= 50:
        alike = outcome[order][1:] == outcome[order][:-1]
        share = np.count_nonzero(again & alike) / n_again
        seen = share + 3 * math.sqrt(share * (1 - share) / n_again) + 0.02
    bound = min(seen, max(_UNKNOWN, _foreseeable(keys)))
    return 1.0 if bound >= _UNTELLABLE else bound


def _foreseeable(keys: Meetings) -> float:
    """The share of results that the best plain guess foresees: that the better one wins, or a draw.

    Two meetings of the same players agree at most as often. Who is better is judged by matches against others, so that
    copies of the match make no difference.
    """
    if keys.won is None or keys.second is None or keys.drawn is None:
        return 0.0
    part = slice(0, _PART)
    first, second, who = keys.first[part], keys.second[part], keys.who[part]
    points = np.where(keys.drawn[part], 0.5, keys.won[part])
    n_players = int(max(first.max(initial=0), second.max(initial=0))) + 1
    order, start, length = _runs(who)
    pair = np.empty(len(who), np.int64)
    pair[order] = np.repeat(np.arange(len(start)), length)
    # of each pair, what the player with the lower code scored in all their meetings
    own = np.where(first < second, points, 1 - points)
    scored, met = np.bincount(pair, own), np.bincount(pair).astype(float)
    total = np.bincount(first, points, n_players) + np.bincount(second, 1 - points, n_players)
    played = (np.bincount(first, minlength=n_players) + np.bincount(second, minlength=n_players)).astype(float)
    low = np.minimum(first, second)[order[start]]
    high = np.maximum(first, second)[order[start]]
    lead = (total[low] - scored + 1) / (played[low] - met + 2) - (total[high] - met + scored + 1) / (
        played[high] - met + 2
    )
    foreseen = np.where(lead > 0, scored, np.where(lead < 0, met - scored, met / 2)).sum() / len(who)
    return float(max(foreseen, np.count_nonzero(keys.drawn[part]) / len(who)))


def _find_stretches(keys: Meetings) -> Mask:
    """Rows of a stretch that came before, row for row: a file appended to itself, or overlapping exports."""
    copies = np.zeros(len(keys), bool)
    lags = _lags(keys.outcome)
    if not len(lags):
        return copies
    chance = _agreement(keys)
    if chance >= 1:
        return copies
    shortest = max(_SHORTEST, (_EVIDENCE + 2 * math.log(len(keys))) / -math.log(chance))
    found = [np.empty((0, 2), np.int64)]
    for lag in lags:
        edges = _edges(keys.outcome[lag:] == keys.outcome[:-lag]) + lag
        found.append(edges[edges[:, 1] - edges[:, 0] >= shortest])
    stretches = np.concatenate(found)
    for start, stop in stretches[_matter(stretches[:, 1] - stretches[:, 0], len(keys))]:
        copies[start:stop] = True
    return copies


def _lags(outcome: Keys) -> list[int]:
    """How far apart equal windows of rows lie, the most frequent distances first.

    Only windows that begin with certain rows are compared, chosen by what they say, so that copies choose the same.
    """
    if len(outcome) < 2 * _WINDOW:
        return []
    total = np.cumsum(outcome, dtype=np.uint64)
    short = total[8:] - total[:-8]
    chosen = np.flatnonzero(mixed(short)[: len(outcome) - _WINDOW] % np.uint64(_SPACING) == 0)
    long = total[chosen + _WINDOW] - total[chosen]
    order = np.argsort(long, kind="stable")
    again = np.flatnonzero(long[order][1:] == long[order][:-1])
    lags, counts = np.unique(chosen[order][again + 1] - chosen[order][again], return_counts=True)
    most = np.argsort(-counts, kind="stable")[:_MOST_LAGS]
    return [int(lag) for lag in lags[most]]


def _find_shuffled(keys: Meetings) -> Mask:
    """Rows that repeat earlier ones in a record where everything is said a multiple of so many times, in any order."""
    copies = np.zeros(len(keys), bool)
    if len(keys) > _PART and _common_factor(keys.outcome[keys.outcome % np.uint64(64) == 0]) < 2:
        # the keys that are multiples of 64, with all their rows, tell it too
        return copies
    factor = _common_factor(keys.outcome)
    if factor < 2:
        return copies
    chance = _agreement(keys)
    n_pairs = np.unique(keys.who).size
    if chance >= 1 or n_pairs * -math.log(chance) < _EVIDENCE:
        return copies
    order, start, length = _runs(keys.outcome)
    rank = np.arange(len(order)) - np.repeat(start, length)
    copies[order] = rank >= np.repeat(length // factor, length)
    return copies


def _common_factor(outcome: Keys) -> int:
    """The largest number that divides how often each thing is said."""
    ordered = np.sort(outcome)
    new = np.flatnonzero(np.concatenate(([True], ordered[1:] != ordered[:-1], [True])))
    return int(np.gcd.reduce(np.diff(new))) if len(new) > _FEWEST else 1


def _find_histories(keys: Meetings) -> Mask:
    """Rows that give a match again under the other player, in a record put together from players' histories."""
    copies = np.zeros(len(keys), bool)
    if keys.second is None:
        return copies
    # a part of a long record may break off within a history
    if len(keys) > _PART and _Views.of(keys.only(slice(0, _PART))).share < 0.9:
        return copies
    views = _Views.of(keys)
    if views.share < 1 - _EXCEPTIONS or views.n_pairs * _divergence(views.share, _agreement(keys)) < _EVIDENCE:
        return copies
    copies[views.later] = True
    return copies


@dataclass(frozen=True)
class _Views:
    """Pairs of whom either is listed first in some rows, and whether these rows tell the same from both sides."""

    n_pairs: int
    share: float
    """How many of these pairs have the same results from both sides, in the same order."""
    later: Counts
    """The second view of each match of such pairs."""

    @classmethod
    def of(cls, keys: Meetings) -> _Views:
        """From who is listed first."""
        turned = keys.first > keys.second
        order = np.lexsort((turned, keys.who))
        who, side = keys.who[order], turned[order]
        start = np.flatnonzero(np.concatenate(([True], (who[1:] != who[:-1]) | (side[1:] != side[:-1]))))
        length = np.diff(np.append(start, len(order)))
        both = np.flatnonzero(who[start][1:] == who[start][:-1])
        equal = both[length[both] == length[both + 1]]
        if len(both) < _FEWEST or not len(equal):
            return cls(len(both), 0.0, np.empty(0, np.int64))
        n_rows = length[equal]
        begin = np.cumsum(n_rows) - n_rows
        within = np.arange(n_rows.sum()) - np.repeat(begin, n_rows)
        ones, others = (order[np.repeat(start[place], n_rows) + within] for place in (equal, equal + 1))
        agree = np.add.reduceat((keys.outcome[ones] != keys.outcome[others]).astype(np.int64), begin) == 0
        later = np.maximum(ones, others)[np.repeat(agree, n_rows)]
        return cls(len(both), np.count_nonzero(agree) / len(both), later)
