"""Bradley and Terry's model with covariates, anchors and clustered errors, for judged pairs and engine matches.

What the first player of match m is expected to score is the logistic curve of

    s_first - s_second + a z + sum_k b_k (x_k,first - x_k,second) + sum_l (c_l u_l) z

in natural units: z is 1 if the first seat may be better off, x are covariates of the two players (the length of an
answer), u are covariates of the match (who judged), which change what the first seat is worth. A draw is half a win and
half a loss. The score equations are those of the logistic likelihood; with draws that is a quasi-likelihood, so the
errors come from what the results really scatter (`errors="robust"`), not from its curvature alone.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from ludometer.arrays import Codes, Counts, Floats, Mask
from ludometer.chart_style import INK
from ludometer.errors import LudometerError, MatchDataError
from ludometer.matches import Matches
from ludometer.players import Labels, Players
from ludometer.result import Provenance, Shown
from ludometer.scale import from_elo, to_elo
from ludometer.wording import format_table

if TYPE_CHECKING:
    import polars as pl

Errors = Literal["robust", "curvature", "bootstrap"]
Contrast = Literal["difference", "relative", "doubling"]

_MOST_PLAYERS = 3000
"""The covariance of all strengths is a matrix: above this, it is no longer a matter of seconds."""
_MOST_STEPS = 60
_SETTLED = 1e-9
_Z = 1.959964
"""Of 95% of a normal distribution, to either side."""
_FEW = 30
"""Clusters below which their scatter is a poor estimate."""

_FEW_UPSETS = 5.0
"""Expected upsets at which the scatter of a player's results and what the model expects of it count the same."""

FIRST_SEAT = "first seat"


@dataclass(frozen=True)
class Effect:
    """What a covariate, or the first seat, is worth in Elo points."""

    name: str
    per: str
    """What the points are for: match, unit, doubling, or the whole (relative) difference."""
    points: float
    sd: float
    interval: tuple[float, float]
    spread: float | None
    """The SD of the covariate's contrast over the matches; None for what is there or not."""


@dataclass(frozen=True, eq=False)
class BradleyTerry(Shown):
    """Strengths of all players in Elo points with their errors, and what the covariates are worth."""

    players: Players
    rating: Floats
    """By code; NaN without a match."""
    covariance: Floats
    """Of the ratings, Elo points squared; rows of players without a match, and of anchors, are 0."""
    interval: Floats
    """(players, 2): 95%."""
    matches: Counts
    effects: tuple[Effect, ...]
    anchors: tuple[str, ...]
    """Players whose rating was given."""
    n_matches: int
    n_clusters: int
    draw_rate: float
    provenance: Provenance

    @property
    def played(self) -> Mask:
        """Who has a match."""
        return self.matches > 0

    @property
    def n_players(self) -> int:
        """Players with a match."""
        return int(np.count_nonzero(self.played))

    @property
    def sd(self) -> Floats:
        """The standard error of each rating: around the mean of all players or, with anchors, against these."""
        return np.where(self.played, np.sqrt(np.maximum(np.diag(self.covariance), 0.0)), np.nan)

    def difference(self, first: str, second: str) -> tuple[float, float]:
        """How many points the first player is ahead of the second, and the standard error of that.

        >>> matches = Matches.of_pairs([0, 0, 1] * 30, [1, 2, 2] * 30, [1, 0, 1, 0, 1, 1, 1, 1, 0] * 10)
        >>> fit = fit_bradley_terry(matches)
        >>> points, error = fit.difference("0", "1")
        >>> round(points), round(error)
        (81, 54)
        """
        i, j = self.players.codes((first, second))
        return float(self.rating[i] - self.rating[j]), float(self.difference_errors[i, j])

    @cached_property
    def difference_errors(self) -> Floats:
        """(players, players): the standard error of each difference."""
        variance = np.diag(self.covariance)
        return np.sqrt(np.maximum(variance[:, None] + variance[None, :] - 2 * self.covariance, 0.0))

    @cached_property
    def rank_intervals(self) -> Codes:
        """(players, 2): the best and the worst rank that the differences leave open, pair by pair at 95%."""
        played = self.played
        behind = self.rating[None, :] - self.rating[:, None]
        with np.errstate(invalid="ignore"):
            surely = np.abs(behind) > _Z * self.difference_errors
            better = (surely & (behind > 0) & played[None, :]).sum(axis=1)
            worse = (surely & (behind < 0) & played[None, :]).sum(axis=1)
        return np.column_stack((1 + better, self.n_players - worse)).astype(np.int32)

    def to_frame(self) -> pl.DataFrame:
        """player, rating, sd, low, high, rank_low, rank_high, matches: best first, equal ratings by name."""
        import polars as pl

        ranks = self.rank_intervals
        frame = pl.DataFrame(
            {
                "player": self.players.names,
                "rating": self.rating,
                "sd": self.sd,
                "low": self.interval[:, 0],
                "high": self.interval[:, 1],
                "rank_low": ranks[:, 0],
                "rank_high": ranks[:, 1],
                "matches": self.matches,
            }
        )
        return frame.filter(pl.col("matches") > 0).sort("rating", "player", descending=[True, False])

    def document(self, rows: pl.DataFrame | None = None) -> dict[str, Any]:
        """The JSON document, of all players or of these rows of `to_frame`."""
        listed = (self.to_frame() if rows is None else rows).iter_rows(named=True)
        effects = [vars(effect) | {"interval": list(effect.interval)} for effect in self.effects]
        return {
            "parameters": self.provenance.parameters,
            "players": [
                {
                    "player": row["player"],
                    "rating": row["rating"],
                    "sd": row["sd"],
                    "interval": [row["low"], row["high"]],
                    "rank_interval": [row["rank_low"], row["rank_high"]],
                    "matches": row["matches"],
                    "anchor": row["player"] in self.anchors,
                }
                for row in listed
            ],
            "effects": effects,
            "absent": {
                f"effects.{place}.spread": "not a number that varies"
                for place, one in enumerate(effects)
                if one["spread"] is None
            },
        }

    def summary(self, top: int = 12, *, unit: str = "sessions") -> str:
        """The best players with intervals and ranks, and the effects; `unit` is what the clusters are called."""
        frame = self.to_frame()
        kind, shared = self.provenance.parameters["errors"], self.n_clusters < self.n_matches
        over = f" over {self.n_clusters:,} {unit}" if shared and kind != "curvature" else ""
        lines = [f"{self.n_matches:,} matches of {len(frame):,} players, {kind} errors{over}"]
        if over and self.n_clusters < _FEW:
            lines.append(f"fewer than {_FEW} {unit}: the errors are too small, and intervals hold less than 95%")
        rows = [
            (
                row["player"],
                f"{row['rating']:.0f}",
                "fixed" if row["player"] in self.anchors else f"{row['low']:.0f} to {row['high']:.0f}",
                str(row["rank_low"])
                if row["rank_low"] == row["rank_high"]
                else f"{row['rank_low']} to {row['rank_high']}",
                f"{row['matches']:,}",
            )
            for row in frame.head(top).iter_rows(named=True)
        ]
        lines.append(format_table(["player", "rating", "95%", "rank", "matches"], rows))
        if len(frame) > top:
            lines.append(f"and {len(frame) - top:,} more")
        if self.effects:
            lines += ["", format_table(["effect", "points", "95%", "for"], [_row(one) for one in self.effects])]
        return "\n".join(lines)

    def charts(self, *, narrow: bool = False) -> dict[str, Any]:
        """The intervals of the first forty players."""
        import altair as alt

        rows = self.to_frame().head(40).select("player", "rating", "low", "high").to_dicts()
        base = alt.Chart(alt.InlineData(values=rows), title="Ratings with 95% intervals")
        y = alt.Y("player:N", title=None, sort=None)
        scale = alt.Scale(zero=False)
        bars = base.mark_rule(color=INK).encode(
            x=alt.X("low:Q", title="Rating (Elo points)", scale=scale), x2="high:Q", y=y
        )
        points = base.mark_point(color=INK, filled=True).encode(x="rating:Q", y=y)
        return {"ratings": (bars + points).properties(width=240 if narrow else 420)}


def _row(effect: Effect) -> tuple[str, ...]:
    low, high = effect.interval
    return effect.name, f"{effect.points:+.1f}", f"{low:+.1f} to {high:+.1f}", effect.per


def fit_bradley_terry(
    matches: Matches,
    *,
    contrasts: Mapping[str, Contrast] | None = None,
    anchors: Mapping[str, float] | None = None,
    clusters: Codes | None = None,
    errors: Errors = "robust",
    prior_sd: float = 1000.0,
    mean: float = 1500.0,
    n_draws: int = 400,
    seed: int = 0,
) -> BradleyTerry:
    """Fit strengths to all matches at once, with everything that the record holds beside them.

    The record says what the model has: `advantage` what the first seat is worth, `seat_covariates` a term for the
    difference of the two players' values, `covariates` a term that changes the advantage of the first seat (labels:
    one advantage per label), `weight` how much matches count, `session` which matches share luck or a judge, so that
    they are one cluster for the errors (`clusters` takes its place). `contrasts` says how two values of a covariate
    are compared: their difference, relative (a - b) / (a + b), or doubling, log2(a / b).

    `anchors` fixes ratings by name; without them the mean of all players is `mean`. The prior, normal with a large SD
    in Elo points, keeps those finite who only won. `errors` are robust (a sandwich over clusters, with the prior in
    it), by the curvature (Laplace; too wide where many matches are drawn), or by a bootstrap over clusters.

    >>> matches = Matches.of_pairs([0, 1] * 50, [1, 0] * 50, ([1, 0] * 3 + [0, 1]) * 12 + [1, 0] * 2)
    >>> fit = fit_bradley_terry(matches, anchors={"1": 2800})
    >>> fit.rating.round().tolist(), fit.sd.round().tolist()
    ([3000.0, 2800.0], [41.0, 0.0])
    """
    if errors not in ("robust", "curvature", "bootstrap"):
        raise LudometerError(f"errors are robust, curvature or bootstrap, not {errors!r}")
    if not (math.isfinite(prior_sd) and prior_sd > 0):
        raise LudometerError(f"the prior's SD must be a number above 0, not {prior_sd}")
    if not len(matches):
        raise MatchDataError("there are no matches")
    matches.refuse_teams("Bradley and Terry's model")
    design = _design(matches, contrasts or {})
    held = _held(matches, anchors or {})
    level = mean if not anchors else float(np.nanmean(held))
    model = _Model(design, from_elo(held - level), from_elo(prior_sd))
    group = _clusters(matches, clusters)
    x = model.maximise(np.zeros(model.size), design.weight)
    if errors == "bootstrap":
        draws = _bootstrap(model, x, group, n_draws, np.random.default_rng(seed))
        covariance = np.cov(draws, rowvar=False)
    else:
        draws, covariance = None, model.covariance(x, group if errors == "robust" else None)
    seen = _Seen(model, design, level, centred=not anchors)
    parameters: dict[str, Any] = {"errors": errors, "prior_sd": prior_sd}
    parameters |= {"anchors": dict(anchors)} if anchors else {"mean": mean}
    parameters |= {"draws": n_draws} if errors == "bootstrap" else {}
    return BradleyTerry(
        players=matches.players,
        matches=matches.counts,
        anchors=tuple(anchors or ()),
        n_matches=len(matches),
        n_clusters=int(group.max()) + 1,
        draw_rate=float(matches.draw_rate or 0.0),
        provenance=Provenance(
            "Bradley-Terry", parameters, matches.fingerprint, seed if errors == "bootstrap" else None
        ),
        **seen.results(x, covariance, draws),
    )


@dataclass(frozen=True, eq=False)
class _Column:
    """One term of the model beside the strengths: its standardised values, and how it is shown."""

    name: str
    per: str
    values: Floats
    scale: float
    """What the values were divided by."""
    label: str = ""
    """Of a term that stands for one label of a match covariate: the covariate's name."""
    share: float = 0.0
    """How many of the matches have the label."""
    is_number: bool = False


@dataclass(frozen=True, eq=False)
class _Design:
    """Matches as the model sees them."""

    n_players: int
    first: Codes
    second: Codes
    score: Floats
    weight: Floats
    columns: tuple[_Column, ...]

    @cached_property
    def terms(self) -> Floats:
        """(matches, terms)."""
        values = [column.values for column in self.columns]
        return np.column_stack(values) if values else np.zeros((len(self.first), 0))


def _design(matches: Matches, contrasts: Mapping[str, Contrast]) -> _Design:
    pairs = matches.pairs
    unknown = set(contrasts) - set(matches.seat_covariates)
    if unknown:
        raise LudometerError(f"{min(unknown)!r} is no covariate of the players of this record")
    if int((matches.counts > 0).sum()) > _MOST_PLAYERS:
        raise LudometerError(
            f"this model takes up to {_MOST_PLAYERS:,} players; for more, rate by the system static, "
            "or choose a part of the file with --where"
        )
    columns: list[_Column] = []
    has_advantage = "advantage" in matches.columns
    seat = matches.advantages.astype(np.float64) if has_advantage else np.ones(len(matches))
    if (has_advantage or matches.covariates) and seat.any():
        columns.append(_Column(FIRST_SEAT, "match", seat, 1.0))
    elif matches.covariates:
        raise LudometerError("no seat has an advantage that the covariates of matches could change: leave them out")
    for name, own in matches.covariates.items():
        columns += _context(name, own, seat)
    for name, own in matches.seat_covariates.items():
        columns.append(_contrast(name, own, contrasts.get(name, "difference")))
    weight = np.ones(len(matches)) if matches.weight is None else matches.weight
    return _Design(len(matches.players), pairs.first, pairs.second, pairs.score, weight, tuple(columns))


def _context(name: str, own: Any, seat: Floats) -> list[_Column]:
    """Terms of a match covariate: what it adds to the first seat's advantage, per unit or per label."""
    if isinstance(own, Labels):
        count = np.bincount(own.code, minlength=len(own.names))
        found = np.flatnonzero(count)
        if len(found) < 2:
            raise LudometerError(f"{name} is the same in all matches: leave it out")
        share = count / len(own)
        return [
            _Column(
                f"{FIRST_SEAT}, {name} {own.names[int(code)] or 'unknown'}",
                "match",
                ((own.code == code) - share[code]) * seat,
                1.0,
                name,
                float(share[code]),
            )
            for code in found
        ]
    _refuse_unknown(name, own)
    spread = float(own.std())
    if not spread > 0:
        raise LudometerError(f"{name} is the same in all matches: leave it out")
    return [_Column(f"{FIRST_SEAT} by {name}", "unit", (own - own.mean()) / spread * seat, spread, is_number=True)]


def _contrast(name: str, own: Any, contrast: Contrast) -> _Column:
    """The term of a covariate of the two players."""
    if isinstance(own, Labels):
        raise LudometerError(f"{name} holds words: a covariate of players has to be a number")
    _refuse_unknown(name, own)
    ours, theirs = own[0::2], own[1::2]
    if contrast == "relative":
        both = ours + theirs
        values = np.divide(ours - theirs, both, out=np.zeros(len(ours)), where=both != 0)
    elif contrast == "doubling":
        if (own <= 0).any():
            raise LudometerError(f"{name} is not above 0 in every match: doubling cannot be told; use relative")
        values = np.log2(ours / theirs)
    elif contrast == "difference":
        values = ours - theirs
    else:
        raise LudometerError(f"{name}: values are compared by difference, relative or doubling, not {contrast!r}")
    spread = float(np.sqrt(np.mean(values**2)))
    if not spread > 0:
        raise LudometerError(f"{name} never differs between the two players of a match: leave it out")
    per = {"difference": "unit", "relative": "whole difference", "doubling": "doubling"}[contrast]
    return _Column(name, per, values / spread, spread, is_number=True)


def _refuse_unknown(name: str, values: Floats) -> None:
    unknown = int(np.isnan(values).sum())
    if unknown:
        raise LudometerError(
            f"{name} is unknown in {unknown:,} places: leave these rows out with --where, such as "
            f'"{name} is not null", or leave the covariate out'
        )


def _held(matches: Matches, anchors: Mapping[str, float]) -> Floats:
    held = np.full(len(matches.players), np.nan)
    for name, rating in anchors.items():
        code = matches.players.code(name)
        if not math.isfinite(rating):
            raise LudometerError(f"the anchor {name!r} needs a rating that is a number, not {rating}")
        if not matches.counts[code]:
            raise LudometerError(f"the anchor {name!r} has no match in the record")
        held[code] = rating
    return held


def _clusters(matches: Matches, given: Codes | None) -> Codes:
    """Which matches share luck, numbered from 0."""
    own = given if given is not None else None if matches.session is None else matches.session.code
    if own is None:
        return np.arange(len(matches), dtype=np.int32)
    if len(own) != len(matches):
        raise LudometerError(f"{len(matches)} matches but {len(own)} clusters")
    return np.unique(own, return_inverse=True)[1].astype(np.int32)


class _Model:
    """The penalised likelihood: the parameters are the free players' strengths, then the terms."""

    def __init__(self, design: _Design, held: Floats, prior_sd: float) -> None:
        self.design = design
        self.held = np.nan_to_num(held)
        played = np.zeros(design.n_players, bool)
        played[design.first] = played[design.second] = True
        self.free = np.flatnonzero(played & np.isnan(held))
        self.n_free = len(self.free)
        self.size = self.n_free + len(design.columns)
        place = np.full(design.n_players, self.n_free, np.int64)
        place[self.free] = np.arange(self.n_free)
        # those who are held share one place after the free ones, which is cut off
        self.first, self.second = place[design.first], place[design.second]
        self.prior = np.full(self.size, prior_sd**-2)
        self.offset = self.held[design.first] - self.held[design.second]

    def expect(self, x: Floats) -> Floats:
        """What the first player of each match is expected to score."""
        from scipy.special import expit

        strength = np.append(x[: self.n_free], 0.0)
        latent = strength[self.first] - strength[self.second] + self.offset
        return np.asarray(expit(latent + self.design.terms @ x[self.n_free :]))

    def gradient(self, x: Floats, expected: Floats, weight: Floats) -> Floats:
        """Of the penalised log likelihood."""
        rest, n = weight * (self.design.score - expected), self.n_free + 1
        pull = np.bincount(self.first, rest, n) - np.bincount(self.second, rest, n)
        return np.concatenate((pull[:-1], self.design.terms.T @ rest)) - self.prior * x

    def curvature(self, expected: Floats, weight: Floats) -> Floats:
        """Minus its second derivatives."""
        own, n = weight * expected * (1 - expected), self.n_free + 1
        met = np.bincount(self.first * n + self.second, own, n * n).reshape(n, n)
        met = met + met.T
        h = np.empty((self.size, self.size))
        inner = np.diag(met.sum(axis=1)) - met
        h[: n - 1, : n - 1] = inner[:-1, :-1]
        terms = self.design.terms
        for k in range(terms.shape[1]):
            push = own * terms[:, k]
            cross = (np.bincount(self.first, push, n) - np.bincount(self.second, push, n))[:-1]
            h[n - 1 + k, : n - 1] = h[: n - 1, n - 1 + k] = cross
        h[n - 1 :, n - 1 :] = terms.T @ (own[:, None] * terms)
        h[np.diag_indices(self.size)] += self.prior
        return h

    def maximise(self, x: Floats, weight: Floats) -> Floats:
        """Newton's steps, halved where they go too far."""
        value = self._value(x, weight)
        for _ in range(_MOST_STEPS):
            expected = self.expect(x)
            gradient = self.gradient(x, expected, weight)
            step = np.linalg.solve(self.curvature(expected, weight), gradient)
            length = 1.0
            while (new := self._value(x + length * step, weight)) < value - 1e-12 * abs(value) and length > 1e-9:
                length /= 2
            x, value = x + length * step, new
            if float(np.abs(step).max(initial=0.0)) < _SETTLED:
                break
        return x

    def _value(self, x: Floats, weight: Floats) -> float:
        expected = np.clip(self.expect(x), 1e-300, 1 - 1e-16)
        score = self.design.score
        told = weight @ (score * np.log(expected) + (1 - score) * np.log1p(-expected))
        return float(told - 0.5 * self.prior @ x**2)

    def covariance(self, x: Floats, group: Codes | None) -> Floats:
        """H^-1 (the curvature's), or H^-1 (J + P) H^-1 with J the scatter of the clusters' gradients, P the prior's.

        With x drawn from the prior, the error of the maximum is H^-1 (g - P x): so P stays in the middle. The scatter
        of few upsets says little (a player who always won shows none at all): as far as a match is of such a player,
        what the model expects takes its place.
        """
        weight, expected = self.design.weight, self.expect(x)
        inverse = np.linalg.inv(self.curvature(expected, weight))
        if group is None:
            return np.asarray(inverse)
        chance, rest = expected * (1 - expected), self.design.score - expected
        n = self.n_free + 1
        upsets = np.bincount(self.first, chance, n) + np.bincount(self.second, chance, n)
        upsets[-1] = np.inf
        least = np.minimum(upsets[self.first], upsets[self.second])
        seen = np.where(np.isinf(least), 1.0, least / (np.where(np.isinf(least), 0.0, least) + _FEW_UPSETS))
        # below 1 where matches are drawn
        dispersion = (rest @ rest + _FEW_UPSETS) / (chance.sum() + _FEW_UPSETS)
        expected_scatter = self.curvature(expected, weight**2 * dispersion * (1 - seen)) - np.diag(self.prior)
        scatter = self._scatter(weight * np.sqrt(seen) * rest, group) + expected_scatter
        return np.asarray(inverse @ (scatter + np.diag(self.prior)) @ inverse)

    def _scatter(self, rest: Floats, group: Codes) -> Floats:
        from scipy.sparse import coo_array

        n, n_groups = self.n_free + 1, int(group.max()) + 1
        row = np.concatenate((group, group))
        column = np.concatenate((self.first, self.second))
        sums = coo_array((np.concatenate((rest, -rest)), (row, column)), shape=(n_groups, n)).tocsr()[:, :-1]
        terms = np.zeros((n_groups, self.size - self.n_free))
        for k, own in enumerate(self.design.terms.T):
            terms[:, k] = np.bincount(group, rest * own, n_groups)
        scatter = np.empty((self.size, self.size))
        scatter[: n - 1, : n - 1] = np.asarray((sums.T @ sums).todense())
        scatter[n - 1 :, : n - 1] = np.asarray(sums.T @ terms).T
        scatter[: n - 1, n - 1 :] = scatter[n - 1 :, : n - 1].T
        scatter[n - 1 :, n - 1 :] = terms.T @ terms
        # as the n - 1 of a variance: residuals of a fit are smaller than errors
        return np.asarray(scatter * n_groups / max(n_groups - self.size, n_groups / 2))


def _bootstrap(model: _Model, x: Floats, group: Codes, n_draws: int, rng: np.random.Generator) -> Floats:
    if n_draws < 2:
        raise LudometerError(f"a bootstrap needs two draws or more, not {n_draws}")
    n_groups = int(group.max()) + 1
    weight = model.design.weight
    return np.array(
        [
            model.maximise(x, weight * np.bincount(rng.integers(0, n_groups, n_groups), minlength=n_groups)[group])
            for _ in range(n_draws)
        ]
    )


class _Seen:
    """From the model's parameters to ratings and effects in Elo points: a linear map."""

    def __init__(self, model: _Model, design: _Design, level: float, *, centred: bool) -> None:
        self.model, self.design, self.level = model, design, level
        n, free = design.n_players, model.free
        self.to_ratings = np.zeros((n, model.size))
        self.to_ratings[free, np.arange(model.n_free)] = 1.0
        if centred:
            self.to_ratings[free, : model.n_free] -= 1 / model.n_free
        self.to_effects = np.zeros((len(design.columns), model.size))
        seat = next((k for k, one in enumerate(design.columns) if one.name == FIRST_SEAT), None)
        for k, column in enumerate(design.columns):
            own = self.to_effects[k]
            own[model.n_free + k] = 1 / column.scale
            if column.label:
                # the labels' terms are departures from their mean: shown is what the first seat is worth with the label
                assert seat is not None
                own[model.n_free + seat] += 1.0
                for other, mate in enumerate(design.columns):
                    if mate.label == column.label:
                        own[model.n_free + other] -= mate.share

    def results(self, x: Floats, covariance: Floats, draws: Floats | None) -> dict[str, Any]:
        """The fields of a result that the fit decides."""
        counted = np.zeros(self.design.n_players, bool)
        counted[self.design.first] = counted[self.design.second] = True
        rating = self.level + to_elo(self.model.held + self.to_ratings @ x)
        spread = to_elo(1.0) ** 2 * (self.to_ratings @ covariance @ self.to_ratings.T)
        error = np.sqrt(np.maximum(np.diag(spread), 0.0))
        interval = np.column_stack((rating - _Z * error, rating + _Z * error))
        if draws is not None:
            drawn = self.level + to_elo(self.model.held + draws @ self.to_ratings.T)
            interval = np.quantile(drawn, (0.025, 0.975), axis=0).T
        return {
            "rating": np.where(counted, rating, np.nan),
            "covariance": spread,
            "interval": np.where(counted[:, None], interval, np.nan),
            "effects": self._effects(x, covariance, draws),
        }

    def _effects(self, x: Floats, covariance: Floats, draws: Floats | None) -> tuple[Effect, ...]:
        points = to_elo(self.to_effects @ x)
        error = to_elo(np.sqrt(np.maximum(np.diag(self.to_effects @ covariance @ self.to_effects.T), 0.0)))
        low, high = points - _Z * error, points + _Z * error
        if draws is not None:
            low, high = np.quantile(to_elo(draws @ self.to_effects.T), (0.025, 0.975), axis=0)
        return tuple(
            Effect(
                column.name,
                column.per,
                float(points[k]),
                float(error[k]),
                (float(low[k]), float(high[k])),
                column.scale if column.is_number else None,
            )
            for k, column in enumerate(self.design.columns)
        )
