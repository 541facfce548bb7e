"""`study_engines`: who is stronger, by how much and how surely, from games between engines."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from ludometer.arrays import Codes, Counts, Floats
from ludometer.errors import LudometerError, MatchDataError
from ludometer.matches import Matches
from ludometer.ratings.engines.pairing import pair_games
from ludometer.ratings.engines.sprt import NORMALISED, EloModel, Sprt, run_sprt
from ludometer.result import Provenance, Shown
from ludometer.scale import to_elo
from ludometer.strength.bradley_terry import BradleyTerry, fit_bradley_terry
from ludometer.wording import format_table, percent

if TYPE_CHECKING:
    import polars as pl

Pairing = Literal["order", "session", "none"]

_Z = 1.959964
_SHOWN = 15


@dataclass(frozen=True)
class Hypotheses:
    """What a sequential test compares, and how often it may err."""

    elo0: float
    elo1: float
    alpha: float = 0.05
    beta: float = 0.05
    model: EloModel = "logistic"

    def test(self, counts: Counts) -> Sprt:
        """The test after games with these counts."""
        return run_sprt(counts, self.elo0, self.elo1, alpha=self.alpha, beta=self.beta, model=self.model)


@dataclass(frozen=True)
class EngineMatch:
    """All games between two engines, from the first one's view."""

    first: str
    second: str
    games: tuple[int, int, int]
    """Losses, draws, wins."""
    pairs: tuple[int, int, int, int, int] | None
    """Pairs of games that brought 0, 1/2, 1, 3/2 and 2 points; None where games are counted one by one."""
    score: float
    error: float
    """The standard error of the score, by pairs where there are some."""
    normalised: tuple[float, float] | None
    """Normalised Elo and its standard error; None where all games ended in the same way."""
    sprt: Sprt | None = None

    @property
    def n_games(self) -> int:
        """All games."""
        return sum(self.games)

    @property
    def draw_rate(self) -> float:
        """The share of drawn games."""
        return self.games[1] / self.n_games

    @property
    def elo(self) -> float | None:
        """The difference in Elo points; None if one side won every game."""
        return _to_elo(self.score)

    @property
    def interval(self) -> tuple[float | None, float | None]:
        """95% of the difference; an end is None where no difference is too large."""
        return _to_elo(self.score - _Z * self.error), _to_elo(self.score + _Z * self.error)

    @property
    def superiority(self) -> float | None:
        """The likelihood that the first engine is the stronger one; None where all games ended in the same way."""
        if not self.error:
            return None
        return 0.5 * math.erfc(-(self.score - 0.5) / self.error / math.sqrt(2))

    def summary(self) -> str:
        """A few lines."""
        lost, drawn, won = self.games
        elo, (low, high) = self.elo, self.interval
        size = "every game had the same winner" if elo is None else f"Elo {elo:+.1f} [{_signed(low)}, {_signed(high)}]"
        likely = "" if self.superiority is None else f", likelihood of superiority {_likely(self.superiority)}"
        lines = [
            f"{self.first} against {self.second}: {self.n_games:,} games, {won:,} won, {drawn:,} drawn, {lost:,} lost",
            f"score {percent(self.score, 2)} ± {percent(_Z * self.error, 2)}, {size}{likely}",
        ]
        if self.normalised:
            points, error = self.normalised
            lines.append(f"normalised Elo {points:+.1f} ± {_Z * error:.1f}, draws {percent(self.draw_rate)}")
        if self.pairs:
            lines.append(
                f"pairs with 0, 1/2, 1, 3/2, 2 points: {', '.join(f'{n:,}' for n in self.pairs)} "
                f"({2 * sum(self.pairs):,} of {self.n_games:,} games)"
            )
        return "\n".join(lines + ([self.sprt.summary()] if self.sprt else []))

    def document(self) -> dict[str, Any]:
        """For JSON."""
        lost, drawn, won = self.games
        points, error = self.normalised or (None, None)
        return {
            "player_1": self.first,
            "player_2": self.second,
            "games": self.n_games,
            "wins": won,
            "draws": drawn,
            "losses": lost,
            "pentanomial": None if self.pairs is None else list(self.pairs),
            "score": self.score,
            "score_sd": self.error,
            "elo": self.elo,
            "interval": list(self.interval),
            "normalised_elo": points,
            "normalised_elo_sd": error,
            "superiority": self.superiority,
            "sprt": None if self.sprt is None else self.sprt.document(),
        }

    def absent(self) -> dict[str, str]:
        """Why parts of the document are null."""
        reasons = {
            "pentanomial": "games were counted one by one" if self.pairs is None else "",
            "elo": "every game had the same winner" if self.elo is None else "",
            "interval": "no difference is too large" if None in self.interval else "",
            "normalised_elo": "all games ended in the same way" if self.normalised is None else "",
            "normalised_elo_sd": "all games ended in the same way" if self.normalised is None else "",
            "superiority": "all games ended in the same way" if self.superiority is None else "",
            "sprt": "no test was asked for" if self.sprt is None else "",
        }
        return {name: reason for name, reason in reasons.items() if reason}


@dataclass(frozen=True, eq=False)
class EngineStudy(Shown):
    """Engines by strength, and each two of them that met."""

    ratings: BradleyTerry
    meetings: tuple[EngineMatch, ...]
    """Most games first."""
    n_paired: int
    """Games that have a partner with colours reversed."""
    provenance: Provenance

    @property
    def n_matches(self) -> int:
        """All games."""
        return self.ratings.n_matches

    @property
    def n_players(self) -> int:
        """All engines."""
        return self.ratings.n_players

    @property
    def draw_rate(self) -> float:
        """The share of drawn games."""
        return self.ratings.draw_rate

    def to_frame(self) -> pl.DataFrame:
        """One row per two engines that met."""
        import polars as pl

        rows = []
        for one in self.meetings:
            row = one.document()
            low, high = row.pop("interval")
            counts, test = row.pop("pentanomial"), row.pop("sprt")
            rows.append(
                row | {"low": low, "high": high, "pentanomial": counts, "llr": None if test is None else test["llr"]}
            )
        return pl.DataFrame(rows, schema_overrides={"pentanomial": pl.List(pl.Int64)}, infer_schema_length=None)

    def summary(self) -> str:
        """Two engines in a few lines; more as a table of ratings and one of meetings."""
        if len(self.meetings) == 1 and not self.ratings.anchors:
            return self.meetings[0].summary()
        lines = [self.ratings.summary(_SHOWN, unit="pairs of games"), ""]
        if len(self.meetings) == 1:
            return "\n".join([*lines, self.meetings[0].summary()])
        rows = [
            (
                one.first,
                one.second,
                f"{one.n_games:,}",
                percent(one.score),
                _signed(one.elo),
                f"{_signed(one.interval[0])} to {_signed(one.interval[1])}",
                "" if one.superiority is None else _likely(one.superiority),
            )
            for one in self.meetings[:_SHOWN]
        ]
        head = ["engine", "opponent", "games", "score", "Elo", "95%", "superior"]
        lines.append(format_table(head, rows, left=(0, 1)))
        if len(self.meetings) > _SHOWN:
            lines.append(f"and {len(self.meetings) - _SHOWN:,} more")
        return "\n".join(lines + [f"{one.second}: {one.sprt.summary()}" for one in self.meetings if one.sprt])

    def document(self) -> dict[str, Any]:
        """The JSON document."""
        rated = self.ratings.document()
        absent = {
            f"meetings.{n}.{name}": why for n, one in enumerate(self.meetings) for name, why in one.absent().items()
        }
        return {
            "parameters": self.provenance.parameters,
            "paired_games": self.n_paired,
            "players": rated["players"],
            "effects": rated["effects"],
            "meetings": [one.document() for one in self.meetings],
            "absent": rated["absent"] | absent,
        }

    def charts(self, *, narrow: bool = False) -> dict[str, Any]:
        """The ratings with their intervals."""
        return self.ratings.charts(narrow=narrow)


def study_engines(
    matches: Matches,
    *,
    pairs: Pairing = "order",
    engine: str | None = None,
    anchors: Mapping[str, float] | None = None,
    hypotheses: Hypotheses | None = None,
) -> EngineStudy:
    """Compare engines by their games, with errors from pairs of games.

    The first seat is White. `pairs` says which games share an opening: those next to each other (order), those of one
    session, or none. `engine` names the one whose view is taken and which is tested; without it, of two engines the
    first in the file. Ratings of all engines come from `fit_bradley_terry` with White's advantage and errors over
    pairs; `anchors` fixes some of them.

    >>> games = Matches.of_pairs([0, 1] * 4, [1, 0] * 4, [1, 0.5, 0.5, 0, 0.5, 0.5, 1, 0.5])
    >>> study = study_engines(games, hypotheses=Hypotheses(0, 50))
    >>> study.meetings[0].pairs, round(study.meetings[0].elo, 1)
    ((0, 0, 1, 3, 0), 137.0)
    """
    if pairs not in ("order", "session", "none"):
        raise LudometerError(f"pairs are found by order, session or none, not {pairs!r}")
    if not len(matches):
        raise MatchDataError("there are no games")
    if pairs == "session" and matches.session is None:
        raise LudometerError("the record has no sessions that would tell which games share an opening")
    two = int((matches.counts > 0).sum()) == 2
    if hypotheses is not None and engine is None and not two:
        raise LudometerError("a test is of one engine: name it with --engine")
    alone = np.arange(len(matches), dtype=np.int32)
    order = matches if pairs == "session" else _without_session(matches)
    pair = alone if pairs == "none" else pair_games(order)
    partners = np.bincount(pair)[pair] == 2
    own = None if engine is None else matches.players.code(engine)
    if own is not None and not matches.counts[own]:
        raise LudometerError(f"{engine!r} has no game in the record")
    seated = matches if "advantage" in matches.columns else matches.with_columns(advantage="order")
    ratings = fit_bradley_terry(_with_both_colours(seated), anchors=anchors, clusters=pair)
    meetings = _meetings(matches, pair, own, ratings.rating, hypotheses, is_paired=pairs != "none")
    parameters: dict[str, Any] = {"pairs": pairs} | ({"engine": engine} if engine else {})
    parameters |= {"anchors": dict(anchors)} if anchors else {}
    return EngineStudy(
        ratings, meetings, int(partners.sum()), Provenance("engine match", parameters, matches.fingerprint)
    )


def _without_session(matches: Matches) -> Matches:
    return replace(matches, session=None)


def _with_both_colours(matches: Matches) -> Matches:
    """Without White's advantage where it cannot be told from strength: an engine that always had White."""
    pairs = matches.pairs
    whites = np.bincount(pairs.first, minlength=len(matches.players))
    blacks = np.bincount(pairs.second, minlength=len(matches.players))
    return matches if ((whites > 0) & (blacks > 0)).any() else replace(matches, advantage="none")


def _meetings(
    matches: Matches, pair: Codes, own: int | None, rating: Floats, hypotheses: Hypotheses | None, *, is_paired: bool
) -> tuple[EngineMatch, ...]:
    table = matches.pairs
    low, high = np.minimum(table.first, table.second), np.maximum(table.first, table.second)
    keys, place = np.unique((low.astype(np.int64) << 32) | high, return_inverse=True)
    names, two = matches.players.names, len(keys) == 1
    found = []
    for number, key in enumerate(keys.tolist()):
        rows = np.flatnonzero(place == number)
        first, second = key >> 32, key & 0xFFFFFFFF
        ahead = own if own is not None else int(table.first[0]) if two else first
        if own is not None and own not in (first, second):
            continue
        if own is None and not two and rating[second] > rating[first]:
            ahead = second
        other = second if ahead == first else first
        halves = np.where(table.first[rows] == ahead, table.halves[rows], 2 - table.halves[rows]).astype(np.int64)
        found.append(_meet(names[ahead], names[other], halves, pair[rows], hypotheses, is_paired=is_paired))
    return tuple(sorted(found, key=lambda one: (-one.n_games, one.first, one.second)))


def _meet(
    first: str, second: str, halves: Counts, pair: Codes, hypotheses: Hypotheses | None, *, is_paired: bool
) -> EngineMatch:
    n = len(halves)
    games = np.bincount(halves, minlength=3)
    score = float(halves.mean()) / 2
    group = np.unique(pair, return_inverse=True)[1]
    size = np.bincount(group)
    rest = np.bincount(group, halves / 2 - score)
    # the scatter of sums over pairs; a game without a partner is a sum of one
    scatter = float(rest @ rest) * len(size) / max(len(size) - 1, 1)
    full = np.bincount(group, halves)[size == 2].astype(np.int64)
    pentanomial = np.bincount(full, minlength=5) if is_paired and len(full) else None
    counts = games if pentanomial is None else pentanomial
    return EngineMatch(
        first=first,
        second=second,
        games=(int(games[0]), int(games[1]), int(games[2])),
        pairs=None if pentanomial is None else tuple(pentanomial.tolist()),
        score=score,
        error=math.sqrt(scatter) / n,
        normalised=normalise(counts),
        sprt=None if hypotheses is None else hypotheses.test(counts),
    )


def normalise(counts: Counts) -> tuple[float, float] | None:
    """Normalised Elo, (score - 1/2) / SD of a game times 800 / ln 10, and its standard error, from 3 or 5 counts.

    The error is that of a mean over an SD: with t the ratio, g the skewness and k the kurtosis of the values, its
    variance is (1 - t g + t^2 (k - 1) / 4) / n.

    >>> points, error = normalise(np.array([100, 800, 130]))
    >>> round(points, 1), round(error, 1)
    (21.5, 10.8)
    """
    n, value = int(counts.sum()), np.linspace(0, 1, len(counts))
    share = counts / n
    mean = float(share @ value)
    gap = value - mean
    variance = float(share @ gap**2)
    if not variance > 0:
        return None
    t, sd = (mean - 0.5) / math.sqrt(variance), math.sqrt(variance)
    skewness, kurtosis = float(share @ gap**3) / sd**3, float(share @ gap**4) / sd**4
    error = math.sqrt(max(1 - t * skewness + t * t * (kurtosis - 1) / 4, 0.0) / n)
    scale = NORMALISED / math.sqrt(2 if len(counts) == 5 else 1)
    return t * scale, error * scale


def _to_elo(score: float) -> float | None:
    return to_elo(math.log(score / (1 - score))) if 0 < score < 1 else None


def _signed(points: float | None) -> str:
    return "?" if points is None else f"{points:+.1f}"


def _likely(chance: float) -> str:
    """A probability that never reads 0% or 100%."""
    return "above 99.9%" if chance > 0.9995 else "below 0.1%" if chance < 0.0005 else percent(chance)
