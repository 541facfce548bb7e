"""Sessions: matches that share circumstances, and whether their results depend on each other beyond strength.

A session is a run of matches of the same pair, of the same table, or of one player against anybody, each within a gap
of the one before. The gap is where such matches stop being much closer to each other than chance would put them. What
is shared within a session is luck, and what outlasts it is skill: so where results of a session depend on each other,
one match of each session tells all that may count.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from ludometer.arrays import Counts, Floats, Mask
from ludometer.errors import LudometerError
from ludometer.matches import Matches, Pairs, Seats
from ludometer.measurement.record.seats import SeatAdvantage

Kind = Literal["pair", "table", "player", "column"]
Unit = Literal["seconds", "rows"]

_DAY = 86_400.0
_LONGEST = {"pair": 43_200.0, "table": 43_200.0, "player": 43_200.0}
"""Seconds between matches of one session, at most."""

_LONGEST_BY_DATE = {"pair": 3.0, "table": 3.0, "player": 0.0}
"""Days, where times are dates: games on three days in a row are one series; a player's session is a day."""

_LONGEST_IN_ROWS = {"pair": 32.0, "table": 32.0, "player": 64.0}

_CLOSER = 3.0
"""Matches of the same players are that many times as frequent at a short distance as chance would have them."""

_FEWEST_CLOSE = 30
"""So many of them make sessions worth looking at."""

_SMALLEST_PART = 0.005
"""The part of all matches that they have to be."""

_LONG = 500_000
"""Matches of a long record."""

_FEW_TIMES = 30
"""Distinct times below which the order of rows tells more."""

_UNLIKELY, _OPPOSITE = {"pair": 0.05, "table": 0.05, "player": 0.03, "column": 0.1}, 0.0005
"""Results depend on each other if independent ones would be as much alike so rarely, or as much opposed. Generous: the
cure only costs data, though for players more than for pairs."""

_PARAMETER = re.compile(r"(\d+(?:\.\d+)?)\s*(s|m|min|h|d|)")
_SECONDS = {"": 1.0, "s": 1.0, "m": 60.0, "min": 60.0, "h": 3_600.0, "d": _DAY}


@dataclass(frozen=True, eq=False)
class Sessions:
    """Matches that share circumstances."""

    found: int = 0
    """Sessions of two matches or more."""
    matches_in_sessions: int = 0
    gap: float | None = None
    """The longest time between two matches of a session, or rows where there are no times."""
    unit: Unit = "seconds"
    kind: Kind | None = None
    """Whose matches: of a pair, of a table, of a player, or as a column says."""
    dependent: bool = False
    """Whether results within sessions depend on each other."""
    p_value: float | None = None
    """How often independent results of players of the same strengths would be as much alike."""
    kept: Mask | None = None
    """One match per session, the first, so that nobody's luck counts twice; None where all matches count."""

    def lines(self) -> tuple[str, ...]:
        """In words; nothing where results are independent."""
        if not self.dependent or self.kept is None:
            return ()
        whose = {
            "pair": "of the same two players",
            "table": "of the same table",
            "player": "of the same player",
            "column": "by the column of sessions",
        }[self.kind or "column"]
        return (
            f"{self.found:,} sessions {whose} ({self.matches_in_sessions:,} matches) whose results depend on each "
            f"other: the verdict rests on the first match of each, {int(self.kept.sum()):,} matches",
        )

    def document(self) -> dict[str, Any]:
        """The JSON `record.sessions`."""
        return {
            "found": self.found,
            "matches_in_sessions": self.matches_in_sessions,
            "gap": self.gap,
            "unit": self.unit if self.gap is not None else None,
            "of": self.kind,
            "dependent": self.dependent,
            "p_value": self.p_value,
            "matches_kept": None if self.kept is None else int(self.kept.sum()),
        }

    def absent(self) -> dict[str, str]:
        """Why parts of it are null."""
        none = "no sessions were found" if not self.found else "a column gives the sessions"
        absent = {} if self.gap is not None else {"gap": none, "unit": none}
        if self.kind is None:
            absent["of"] = none
        if self.p_value is None:
            absent["p_value"] = "no sessions were found, or too few to tell"
        if self.kept is None:
            absent["matches_kept"] = "all matches count"
        return absent


def find_sessions(
    matches: Matches, session: str | float | None = None, *, seats: SeatAdvantage | None = None
) -> Sessions:
    """Find sessions, and test whether their results depend on each other beyond strength and seat.

    `session` overrides what is guessed: a gap ("30m", "6h", "1d", or a number of rows), "column" for
    `matches.session`, or "none". A session column that the caller named is used anyway.

    >>> from ludometer.simulate import simulate_coin
    >>> once = simulate_coin(100, 3_000, seed=1).pairs
    >>> first, second, luck = (np.repeat(own, 3) for own in (once.first, once.second, once.halves))
    >>> found = find_sessions(Matches.of_pairs(first, second, luck))
    >>> found.kind, found.found, found.dependent, int(found.kept.sum())
    ('pair', 2999, True, 2999)
    """
    if session == "none" or not len(matches):
        return Sessions()
    if len(matches) > _LONG:
        # what the beginning of a long record shows is enough to acquit it; its sessions are counted there
        beginning = find_sessions(matches.part(0, _LONG), session, seats=seats)
        if not beginning.dependent:
            return beginning
    fewest = max(_FEWEST_CLOSE, _SMALLEST_PART * len(matches))
    candidates = [one for one in _candidates(matches, session) if one.n_close >= fewest]
    if not candidates:
        return Sessions()
    guilty: list[_Candidate] = []
    kept, p_values = None, []
    for one in candidates:
        # what the sessions of pairs explain is not looked for again in those of players
        p_values.append(_test(matches, one, kept, seats))
        if one.is_dependent(p_values[-1]):
            guilty.append(one)
            kept = _keep_first(matches, [other.cell for other in guilty])
    shown = guilty[-1] if guilty else candidates[0]
    p_value = p_values[candidates.index(shown)]
    found = shown.n_sessions, shown.n_matches, shown.gap, shown.unit, shown.kind
    return Sessions(*found, dependent=bool(guilty), p_value=p_value, kept=kept)


@dataclass(frozen=True, eq=False)
class _Candidate:
    """A way to divide the record into sessions."""

    kind: Kind
    cell: Counts
    """Per seat: the player's part in a session, numbered from 0."""
    gap: float | None
    unit: Unit
    n_close: int
    """Matches of a session that follow another of it."""
    n_sessions: int
    n_matches: int

    def is_dependent(self, p_value: float | None) -> bool:
        """Whether results are more alike than chance allows, or more opposed, as where luck is dealt to both in turn.

        A player's run often ends with a loss, which is no luck that is shared.
        """
        if p_value is None:
            return False
        return p_value < _UNLIKELY[self.kind] or (self.kind != "player" and p_value > 1 - _OPPOSITE)


def _candidates(matches: Matches, session: str | float | None) -> Iterator[_Candidate]:
    seats = matches.seats
    match = np.repeat(np.arange(len(matches)), seats.sizes)
    asked = session == "column" or (session is None and "session" not in matches.unasked)
    if matches.session is not None and asked:
        yield _of_labels("column", matches.session.code.astype(np.int64), seats, match, None, "seconds")
        return
    if session == "column":
        raise LudometerError("the record has no column of sessions")
    place, unit, step, is_date = _places(matches, session)
    if unit == "rows" and session is None and _is_sorted(matches):
        return
    chosen = None if session is None else _as_gap(session, unit)
    group: Kind = "pair" if isinstance(matches.table, Pairs) else "table"
    for kind in (group, "player"):
        key = _together(seats) if kind == group else seats.player.astype(np.int64)
        at = place if kind == group else place[match]
        longest = (_LONGEST_BY_DATE if is_date else _LONGEST if unit == "seconds" else _LONGEST_IN_ROWS)[kind]
        if chosen is not None:
            gap: float | None = chosen
        elif is_date and kind == "player":
            # a day is a session, however active players are
            gap = 0.0
        else:
            gap = _find_gap(key, at, step, longest * (_DAY if is_date else 1.0))
        if gap is None:
            continue
        label = _runs(key, at, gap)
        if kind == group:
            yield _of_labels(group, label, seats, match, gap, unit)
        else:
            yield _of_cells(label, match, gap, unit)


def _places(matches: Matches, session: str | float | None) -> tuple[Floats, Unit, float, bool]:
    """Where each match is in time or in the file, the unit, the smallest step, and whether times are dates."""
    rows = np.arange(len(matches), dtype=np.float64)
    time = matches.time
    if time is None or (session is not None and str(session).strip()[-1:].isdigit()):
        return rows, "rows", 1.0, False
    if not np.issubdtype(time.dtype, np.datetime64):
        # a number may count days, months or rating periods, and a month of matches is no session
        return rows, "rows", 1.0, False
    seconds = (time - time[0]) / np.timedelta64(1, "s")
    is_date = bool((seconds == np.floor(seconds / _DAY) * _DAY).all())
    if len(np.unique(seconds[:: max(1, len(seconds) // 10_000)])) < _FEW_TIMES:
        return rows, "rows", 1.0, False
    return np.asarray(seconds, np.float64), "seconds", _DAY if is_date else 1.0, is_date


def _is_sorted(matches: Matches) -> bool:
    """Whether rows, or those of each time, are in the order of a column of players: then neighbours tell nothing."""
    starts, players = matches.seats.starts, matches.seats.player
    time = 0 if matches.time is None else np.unique(matches.time, return_inverse=True)[1].astype(np.int64)
    for seat in (starts[:-1], starts[:-1] + 1):
        key = time * (int(players.max()) + 1) + players[seat].astype(np.int64)
        n_blocks, n_keys = 1 + int((np.diff(key) != 0).sum()), len(np.unique(key))
        if n_blocks <= 1.05 * n_keys and n_keys < 0.5 * len(key):
            return True
    return False


def is_gap(text: str) -> bool:
    """Whether this is a gap, a number of rows or "none", and not the name of a column.

    >>> [is_gap(text) for text in ("30m", "6h", "1d", "5", "none", "evening")]
    [True, True, True, True, True, False]
    """
    return text == "none" or _PARAMETER.fullmatch(text.strip().lower()) is not None


def _as_gap(session: str | float, unit: Unit) -> float:
    """A gap in seconds or rows."""
    known = _PARAMETER.fullmatch(str(session).strip().lower())
    if known is None:
        raise LudometerError(f"a session is 'column', 'none', or a gap such as 30m, 6h or 1d, not {session!r}")
    if known[2] and unit == "rows":
        raise LudometerError(f"the record has no times for a gap of {session}: give a number of rows")
    return float(known[1]) * _SECONDS[known[2]]


def _together(seats: Seats) -> Counts:
    """A number for each match that tells who sat there, in any order."""
    mixed = (seats.player.astype(np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    mixed ^= mixed >> np.uint64(29)
    mixed *= np.uint64(0xBF58476D1CE4E5B9)
    mixed ^= mixed >> np.uint64(32)
    return np.add.reduceat(mixed, seats.starts[:-1]).view(np.int64)


def _find_gap(key: Counts, at: Floats, step: float, longest: float) -> float | None:
    """The distance up to which matches with the same key are much closer than chance would put them; None if none is.

    By chance the distance to the next of c matches in a time T is exponential with the rate c / T.
    """
    order = np.lexsort((at, key))
    code = np.concatenate(([0], np.cumsum(np.diff(key[order]) != 0)))
    same = np.diff(code) == 0
    distance = np.diff(at[order])[same]
    if len(distance) < _FEWEST_CLOSE:
        return None
    span = float(at.max() - at.min()) + step
    count = np.bincount(code)
    rate = count / span
    edges = [step]
    while edges[-1] <= longest:
        edges.append(2 * edges[-1])
    gap, before, missed = None, 0.0, 0
    seen_before = 0
    for edge in edges:
        seen = int((distance < edge).sum())
        chance = float(((count - 1) * (np.exp(-rate * before) - np.exp(-rate * edge))).sum())
        if seen - seen_before > max(_CLOSER * chance, 0.02 * seen, 5.0):
            gap, missed = edge, 0
        elif gap is not None:
            missed += 1
            if missed > 1:
                break
        before, seen_before = edge, seen
    if gap is None:
        return None
    # the last distance that was seen, so that the gap is inclusive
    return float(distance[distance < gap].max())


def _runs(key: Counts, at: Floats, gap: float) -> Counts:
    """Numbers of runs: the same key, each within the gap of the one before."""
    order = np.lexsort((at, key))
    new = (np.diff(key[order]) != 0) | (np.diff(at[order]) > gap)
    label = np.empty(len(key), np.int64)
    label[order] = np.concatenate(([0], np.cumsum(new)))
    return label


def _of_labels(kind: Kind, label: Counts, seats: Seats, match: Counts, gap: float | None, unit: Unit) -> _Candidate:
    """Sessions that all players of a match are in."""
    _, label, count = np.unique(label, return_inverse=True, return_counts=True)
    cell = np.unique(label[match] * (int(seats.player.max()) + 1) + seats.player, return_inverse=True)[1]
    in_cell = np.bincount(cell)
    again = np.maximum.reduceat(in_cell[cell], seats.starts[:-1]) > 1
    large = np.bincount(label[again], minlength=len(count)) > 0
    return _Candidate(kind, cell, gap, unit, int((in_cell - 1).sum()) // 2, int(large.sum()), int(again.sum()))


def _of_cells(cell: Counts, match: Counts, gap: float | None, unit: Unit) -> _Candidate:
    """Sessions of players one by one."""
    in_cell = np.bincount(cell)
    again = np.unique(match[in_cell[cell] > 1])
    return _Candidate("player", cell, gap, unit, int((in_cell - 1).sum()), int((in_cell > 1).sum()), len(again))


def _keep_first(matches: Matches, cells: list[Counts]) -> Mask:
    """The matches that are the first of all their players' sessions, among those that are left, again and again.

    That is what going through the record keeps, if a match is kept when none of its sessions has one yet.
    """
    seats = matches.seats
    match = np.repeat(np.arange(len(matches)), seats.sizes)
    kept, left = np.zeros(len(matches), bool), np.ones(len(matches), bool)
    while left.any():
        here = left[match]
        is_first = left.copy()
        for cell in cells:
            earliest = np.full(int(cell.max()) + 1, len(matches))
            np.minimum.at(earliest, cell[here], match[here])
            late = here & (earliest[cell] < match)
            is_first[match[late]] = False
        kept |= is_first
        left &= ~is_first
        chosen = is_first[match]
        for cell in cells:
            taken = np.zeros(int(cell.max()) + 1, bool)
            taken[cell[chosen]] = True
            left[match[taken[cell]]] = False
    return kept


_SIMULATED = 20
"""Records of independent results that are compared with, of either family."""

_MOST_TESTED = 60_000
"""Matches that the test looks at, in a row: more would tell the same."""

_ROUNDS = 8


def _test(matches: Matches, candidate: _Candidate, kept: Mask | None, seats: SeatAdvantage | None) -> float | None:
    """How often independent results would be as much alike within sessions; None where nothing tells."""
    rows = np.arange(len(matches)) if kept is None else np.flatnonzero(kept)
    chosen = np.zeros(len(matches), bool)
    chosen[rows[:_MOST_TESTED]] = True
    cell = np.unique(candidate.cell[np.repeat(chosen, matches.sizes)], return_inverse=True)[1]
    matches = matches.take(chosen)
    table = matches.seats
    study = _Likeness(table, cell, len(matches.players), shared=candidate.kind != "player")
    if study.n_products < _FEWEST_CLOSE:
        return None
    score = _scores(table)
    if seats is not None and seats.applied and isinstance(matches.table, Pairs):
        side = np.ones(len(table)) if isinstance(matches.advantage, str) else matches.advantage * 1.0
        score = score - 0.5 * seats.excess * np.column_stack((side, -side)).ravel()
    seen = study.measure(score)
    drawn = float((table.place == 1).sum()) / len(table) - 1 if isinstance(matches.table, Pairs) else 0.0
    spread = study.spread(score) / max(1 - drawn, 1e-3) ** 2
    worst = None
    for family in (_deterministic, _skilled):
        rng = np.random.default_rng([len(table), _SIMULATED])
        simulated = [
            study.measure(_simulate(table, *family(spread), drawn, len(matches.players), rng))
            for _ in range(_SIMULATED)
        ]
        p = _tail(seen, np.array(simulated))
        # innocent by either family is innocent
        worst = p if worst is None or abs(p - 0.5) < abs(worst - 0.5) else worst
        if not candidate.is_dependent(worst):
            break
    return worst


def _tail(seen: float, simulated: Floats) -> float:
    """The probability of a larger value, by Student's t."""
    from scipy.special import stdtr

    n = len(simulated)
    error = float(simulated.std(ddof=1)) * np.sqrt(1 + 1 / n)
    return float(stdtr(n - 1, -(seen - simulated.mean()) / max(error, 1e-12)))


def _scores(table: Seats) -> Floats:
    """What each seat has above the middle, from -1/2 for the last place to 1/2 for the first; ties share."""
    sizes = np.repeat(table.sizes, table.sizes)
    match = np.repeat(np.arange(len(table)), table.sizes)
    # how many share a place
    tied = np.unique(match * (int(table.place.max()) + 1) + table.place, return_inverse=True, return_counts=True)
    shared = tied[2][tied[1]]
    return np.asarray(0.5 - (table.place - 1 + 0.5 * (shared - 1)) / (sizes - 1))


class _Likeness:
    """How much alike a player's results of one session are, beyond what strength explains."""

    def __init__(self, table: Seats, cell: Counts, n_players: int, *, shared: bool) -> None:
        self.starts, self.sizes, self.player, self.cell = table.starts, table.sizes, table.player, cell
        self.others = np.repeat(1.0 / (table.sizes - 1), table.sizes)
        self.n_players, self.count = n_players, np.bincount(table.player, minlength=n_players)
        self.in_cell = np.bincount(cell)
        self.n_products = int((self.in_cell * (self.in_cell - 1)).sum())
        # the player of each cell, and the player's next cell
        self.owner = np.empty(len(self.in_cell), np.int64)
        self.owner[cell[::-1]] = table.player[::-1]
        first = np.empty(len(self.in_cell), np.int64)
        first[cell[::-1]] = np.arange(len(cell))[::-1]
        order = np.lexsort((first, self.owner))
        follows = np.diff(self.owner[order]) == 0
        self.one, self.next = order[:-1][follows], order[1:][follows]
        # where all players of a match are in the session, what the others have on average is shared too
        self.weight = 1.0 + float(self.others.mean()) if shared else 1.0

    def spread(self, score: Floats) -> float:
        """The variance of strengths, in score, by the products of a player's results in different sessions."""
        total = np.bincount(self.player, score, minlength=self.n_players)
        inside = np.bincount(self.cell, score)
        n_pairs = float((self.count.astype(float) ** 2).sum() - (self.in_cell.astype(float) ** 2).sum())
        return max(float((total**2).sum() - (inside**2).sum()) / max(n_pairs, 1.0), 0.0)

    def measure(self, score: Floats) -> float:
        """The mean product of two results of a session, less that of neighbouring sessions of the same player."""
        rest = score - self._explained(score)
        inside = np.bincount(self.cell, rest)
        within = float((inside**2).sum() - (rest**2).sum()) / self.n_products
        n_next = float((self.in_cell[self.one] * self.in_cell[self.next]).sum())
        across = float((inside[self.one] * inside[self.next]).sum()) / n_next if n_next else 0.0
        return within - self.weight * across

    def _explained(self, score: Floats) -> Floats:
        spread = self.spread(score)
        luck = max(float((score**2).mean()) - 2 * spread, 1e-3)
        slack = luck / max(spread, 1e-4)
        total, strength = np.bincount(self.player, score, minlength=self.n_players), np.zeros(self.n_players)
        for _ in range(_ROUNDS):
            met = np.bincount(self.player, self._opponents(strength), minlength=self.n_players)
            strength = (total + met) / (self.count + slack)
            strength -= (self.count @ strength) / self.count.sum()
        ahead = strength[self.player] - self._opponents(strength)
        # scores have a floor and a ceiling: a bend that is the same in both directions, as far as strengths are known
        bent = np.column_stack((ahead, ahead**3))
        bend = np.linalg.lstsq(bent, score, rcond=None)[0]
        known = spread / (spread + luck / max(float(self.count.mean()), 1.0))
        return np.asarray(bent @ (known * bend + (1 - known) * np.array([1.0, 0.0])))

    def _opponents(self, strength: Floats) -> Floats:
        own = strength[self.player]
        total = np.repeat(np.add.reduceat(own, self.starts[:-1]), self.sizes)
        return np.asarray((total - own) * self.others)


def _deterministic(spread: float) -> tuple[float, float]:
    """Mix and reach of the game with this variance of mean scores in which strength decides outright, or a coin."""
    from ludometer.kernels.systems.dealing import CERTAIN

    return min(float(np.sqrt(12 * spread)), 1.0), CERTAIN


def _skilled(spread: float) -> tuple[float, float]:
    """The same for normal skills: Phi(b z) has the variance arcsin(b^2 / (1 + b^2)) / (2 pi)."""
    part = np.sin(2 * np.pi * min(spread, 0.0825))
    steep = part / (1 - part)
    return 1.0, float(1.702 * np.sqrt(steep / max(1 - steep, 1e-3)))


def _simulate(table: Seats, mix: float, reach: float, drawn: float, n_players: int, rng: np.random.Generator) -> Floats:
    """Scores of one record of independent results on this schedule."""
    from ludometer.kernels.systems.dealing import Rule
    from ludometer.kernels.systems.games import play_seats

    place = np.arange(table.starts[-1]) - np.repeat(table.starts[:-1], table.sizes)
    prize = 0.5 - place / np.repeat(table.sizes - 1, table.sizes)
    key = rng.integers(0, 2**32, 2, dtype=np.uint32)
    score = play_seats(table.starts, table.player, prize, rng.standard_normal(n_players), key, Rule(mix, reach))
    if drawn > 0:
        score = np.where(np.repeat(rng.random(len(table)) < drawn, table.sizes), 0.0, score)
    return score
