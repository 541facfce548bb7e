"""Who met whom: whether opponents are alike in strength, and skills for simulated players that are paired alike.

Who met whom is a graph. If opponents are chosen at random, the eigenvalues of its normalised adjacency (one minus those
of the normalised Laplacian) lie, but for the first, below an edge that the same schedule with shuffled opponents shows.
An eigenvalue beyond that edge is a direction along which those who met lie close together: a place for every player.

Ratings spread less where players meet opponents of their own strength, since such matches tell little. If the schedule
shows directions, the simulated players of a benchmark must have strengths that follow them as the real ones do: draws
from the posterior of the strengths, given results and directions.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ludometer.arrays import Codes, Counts, Floats, Halves
from ludometer.errors import NoFiniteFit
from ludometer.matches import Matches, Pairs, Seats, owned
from ludometer.measurement.spread import RatingDifferences, measure_spread
from ludometer.ratings.draws import draw_results, fit_draws
from ludometer.ratings.prizes import RECORDED, WINNER, Prizes
from ludometer.ratings.systems.best_fit import fit_best_elo
from ludometer.scale import expected_score, from_elo
from ludometer.strength.links import Links
from ludometer.strength.posterior import StrengthPosterior, fit_linked

_MOST_DIRECTIONS = 10
_BEYOND = 1.03
"""How far beyond the edge of shuffled schedules an eigenvalue has to be to be called isolated."""

_FEWEST_SHUFFLES, _MOST_SHUFFLES = 2, 39
_SHUFFLED_LINKS = 2_000_000
"""Links of all shuffled schedules together. Where there are few, edges differ from shuffle to shuffle, and it takes
many to know how far chance goes; where there are many, two agree."""

_MOST_LINKS = 8_000_000

_PART, _BINS = 1 << 20, 1 << 15
"""Matches that are simulated together, and bins of forecasts: what a long record needs beside itself stays small."""


@dataclass(frozen=True)
class Structure:
    """The isolated eigenvalues of a schedule, the places of the players along them, and how sure these are."""

    eigenvalues: Floats
    edge: float
    closeness: float
    """The correlation between the places of those who met, along the first direction, freed of noise; 0 if none."""
    directions: Floats
    """(players, isolated eigenvalues)."""
    looseness: Floats
    """The error of each player's place, as a part of the variance of places: small for those who played much."""

    @property
    def detected(self) -> bool:
        """Whether any eigenvalue is isolated."""
        return bool(self.directions.shape[1])


def links(matches: Matches, rng: np.random.Generator) -> tuple[Codes, Codes, Halves]:
    """Who met whom, two by two, and what the first scored against the second, in half points.

    A multiplayer match is all its pairs; where these are too many, a ring of its seats in random order.
    """
    table = matches.table
    if isinstance(table, Pairs):
        return table.first, table.second, table.halves
    sizes = table.sizes
    n_links = int((sizes * (sizes - 1) // 2).sum())
    ones: list[Any] = []
    others: list[Any] = []
    for size in np.unique(sizes):
        seats = table.starts[:-1][sizes == size, np.newaxis] + np.arange(size)
        if n_links > _MOST_LINKS and size > 3:
            seats = rng.permuted(seats, axis=1)
            ones.append(seats.ravel())
            others.append(np.roll(seats, 1, axis=1).ravel())
            continue
        left, right = np.triu_indices(int(size), 1)
        ones.append(seats[:, left].ravel())
        others.append(seats[:, right].ravel())
    one, other = np.concatenate(ones), np.concatenate(others)
    halves = (1 + np.sign(table.place[other] - table.place[one])).astype(np.int8)
    return table.player[one], table.player[other], halves


def tally(matches: Matches, rng: np.random.Generator) -> Links:
    """The same, each two players once."""
    first, second, halves = links(matches, rng)
    return Links.of(first, second, len(matches.players), halves=halves)


def find_structure(matches: Matches, *, rng: np.random.Generator, met: Links | None = None) -> Structure:
    """Compare the schedule's eigenvalues with those of the same players, equally active, with shuffled opponents.

    `met` are the links of the schedule, where they are tallied already.
    """
    n_players = len(matches.players)
    graph = _Graph(tally(matches, rng) if met is None else met)
    n_shuffles = int(np.clip(_SHUFFLED_LINKS // max(len(matches), 1), _FEWEST_SHUFFLES, _MOST_SHUFFLES))
    shuffled = [_Graph(_shuffled(matches, rng)) for _ in range(n_shuffles)]
    n_values = min(_MOST_DIRECTIONS + 2, n_players - 2)
    if n_values < 3:
        return _none(n_players)
    # the first eigenvalue is that of "everybody", in a shuffled schedule too; the second tells whether to look further
    start = rng.random(n_players)
    values, vectors = graph.leading(2, start)
    random = [chance.leading(2, rng.random(n_players)) for chance in shuffled]
    edge = float(max(pair[0][1] for pair in random))
    if values[1] > _BEYOND * edge:
        values, vectors = graph.leading(n_values, start)
    isolated = np.flatnonzero(values[1 : _MOST_DIRECTIONS + 1] > _BEYOND * edge) + 1
    if not len(isolated):
        return Structure(values[1:], edge, 0.0, np.empty((n_players, 0)), np.ones(n_players))
    some = zip(shuffled[:_FEWEST_SHUFFLES], random, strict=False)
    noise = max(chance.closeness(pair[1][:, 1]) for chance, pair in some)
    seen = graph.closeness(vectors[:, isolated[0]])
    # an eigenvalue that stands out of noise is pushed outwards by it: a + noise^2 / (4 a) is seen of a
    close = min(0.5 * (seen + np.sqrt(max(seen**2 - noise**2, 0.0))), 0.999)
    slack = _slack(close)
    places = np.column_stack([graph.smooth(place, slack) for place in vectors[:, isolated].T])
    return Structure(values[1:], edge, float(close), places, 1 / (1 + graph.degree / slack))


def _shuffled(matches: Matches, rng: np.random.Generator) -> Links:
    """Opponents shuffled; in multiplayer matches all seats, since the pairs of a table belong together anyway."""
    table, n_players = matches.table, len(matches.players)
    if isinstance(table, Pairs):
        return Links.of(table.first, rng.permutation(table.second), n_players)
    first, second, _ = links(replace(matches, table=replace(table, player=rng.permutation(table.player))), rng)
    return Links.of(first, second, n_players)


def _none(n_players: int) -> Structure:
    return Structure(np.empty(0), 1.0, 0.0, np.empty((n_players, 0)), np.ones(n_players))


def _slack(closeness: float) -> float:
    """How many opponents tell as much of a player's place as is known beforehand, if places of opponents correlate."""
    return (1 - closeness**2) / max(closeness, 0.05) ** 2


class _Graph:
    """Who met whom and how often, as a matrix."""

    def __init__(self, met: Links) -> None:
        self.met, self.degree = met, met.degree

    def leading(self, n: int, start: Floats) -> tuple[Floats, Floats]:
        """The largest eigenvalues, and the vectors as places of players; the search begins at `start`.

        Degrees are raised by their mean: else players with one or two matches have eigenvectors of their own.
        """
        from scipy.sparse.linalg import LinearOperator, eigsh

        scale = 1 / np.sqrt(self.degree + self.degree.mean())

        def multiply(x: Floats) -> Floats:
            return np.asarray(scale * self.met.add_opponents(scale * x.ravel()))

        matrix = LinearOperator((len(scale), len(scale)), matvec=multiply, dtype=np.float64)
        values, vectors = eigsh(matrix, k=n, which="LA", v0=start, tol=1e-3)
        order = np.argsort(-values)
        return values[order], vectors[:, order] * scale[:, np.newaxis]

    def smooth(self, place: Floats, slack: float) -> Floats:
        """Each player at the mean of their opponents' places, closer to the middle the less they played."""
        moved = self.met.add_opponents(np.ascontiguousarray(place)) / (self.degree + slack)
        moved -= self.degree @ moved / self.degree.sum()
        return np.asarray(moved / np.sqrt(self.degree @ moved**2 / self.degree.sum()))

    def closeness(self, place: Floats) -> float:
        """The correlation of the places of those who met, these places having been made as close as the graph lets."""
        close, slack = 0.0, 5.0
        for _ in range(8):
            place = self.smooth(place, slack)
            close = float(place @ self.met.add_opponents(place) / (self.degree @ place**2))
            slack = _slack(close)
        return close


TOO_CLOSE = 0.75
"""Above this correlation of the strengths of opponents the yardstick is not recovered on simulated schedules."""

_FOLLOWS = 0.01
"""Strengths are said to follow the schedule if the test that they do not gives less."""

DRAWS = 32


@dataclass(frozen=True)
class Pairing:
    """What the schedule says about who met whom."""

    detected: bool
    """The schedule is not that of players who meet at random."""
    correlation: float
    """Between the strengths of those who met: 0 at random, 1 if only equals meet."""
    n_directions: int
    p_value: float
    """Of the test that strengths do not follow the schedule at all."""
    follows: bool
    """Whether strengths have to be taken as following the schedule."""
    skills: Floats | None = None
    """Skills for simulated players (players, n), as standard normal scores; None where random ones will do."""
    weight: float = 0.0
    """How likely it is that strengths follow the schedule: the part of the simulated games whose players do."""

    @property
    def is_sound(self) -> bool:
        """Whether benchmarks on this schedule can be trusted."""
        return self.correlation <= TOO_CLOSE

    @property
    def corrected(self) -> bool:
        """Whether simulated players are paired like the real ones."""
        return self.follows and self.is_sound

    def weighed(self, weight: float) -> Pairing:
        """The same if it were known that strengths follow the schedule, or that they do not."""
        return replace(self, weight=weight)


def study_pairing(matches: Matches, *, seed: Sequence[int]) -> Pairing:
    """Look for directions in the schedule, and if there are any, draw skills that follow them.

    >>> from ludometer.simulate import simulate_strengths
    >>> study_pairing(simulate_strengths(300, 9000), seed=[0]).detected
    False
    """
    rng = np.random.default_rng(np.random.SeedSequence([*seed]))
    met = tally(matches, rng)
    structure = find_structure(matches, rng=rng, met=met)
    if not structure.detected:
        return Pairing(False, 0.0, 0, 1.0, follows=False)
    posterior = fit_linked(met, directions=structure.directions, looseness=structure.looseness, n_draws=DRAWS, rng=rng)
    n_directions = structure.directions.shape[1]
    counts, weight = matches.counts, _believe(posterior.p_value)
    skills = _draws_as_close(posterior, structure.closeness, counts, met)
    correlation = weight * float(np.mean([met.correlate(one) for one in skills.T[:8]]))
    follows = posterior.p_value <= _FOLLOWS
    return Pairing(True, correlation, n_directions, posterior.p_value, follows, skills, weight)


def _believe(p_value: float) -> float:
    """How likely it is that there is something, at even odds beforehand: at most that (Sellke, Bayarri, Berger 2001).

    >>> [round(_believe(p), 2) for p in (0.5, 0.1, 0.01, 1e-6)]
    [0.5, 0.62, 0.89, 1.0]
    """
    if p_value >= np.exp(-1):
        return 0.5
    return float(1 / (1 - np.e * p_value * np.log(max(p_value, 1e-300))))


def _draws_as_close(posterior: StrengthPosterior, closeness: float, counts: Counts, links: Links) -> Floats:
    """Draws, drawn together towards their mode as far as needed for opponents to be as close as the schedule says."""
    around = posterior.draws - posterior.mode[:, np.newaxis]
    along = float(np.cov(posterior.mode, aweights=counts))
    # the directions describe only the part of the strengths that the posterior finds along them
    wanted = closeness * along / (along + posterior.residual_sd**2)
    low, high = 0.0, 1.0
    for _ in range(7):
        part = 0.5 * (low + high)
        sample = normal_scores(posterior.mode[:, np.newaxis] + part * around[:, :4], counts)
        met = np.mean([links.correlate(order) for order in sample.T])
        low, high = (part, high) if met > wanted else (low, part)
    return normal_scores(posterior.mode[:, np.newaxis] + high * around, counts)


def normal_scores(strength: Floats, counts: Counts) -> Floats:
    """Strengths as standard normal scores of their ranks, among players who played about equally often.

    Those of players with few matches lie closer together only because less is known about them.
    """
    from scipy.special import ndtri

    level = np.log2(np.maximum(counts, 1)).astype(np.int64)
    top = int(level.max())
    while top > 0 and int((level == top).sum()) < 50:
        level[level == top] = top - 1
        top -= 1
    scores = np.empty_like(strength)
    for one in np.unique(level):
        same = level == one
        scores[same] = ndtri((_ranks(strength[same]) - 0.5) / int(same.sum()))
    return scores


def _ranks(values: Floats) -> Floats:
    """Ranks from 1 up in every column; equal values share the mean of theirs."""
    ranks = np.empty(values.shape)
    for column, own in zip(ranks.T, values.T, strict=True):
        order = np.argsort(own)
        ordered = own[order]
        column[order] = np.arange(1.0, len(own) + 1)
        if (ordered[1:] == ordered[:-1]).any():
            column[:] = (np.searchsorted(ordered, own) + np.searchsorted(ordered, own, side="right") + 1) / 2
    return ranks


_REPLAYS, _LONG = 4, 5_000_000
"""Games with shuffled opponents; of a record longer than the second, one says it all."""


def ratio_if_random(
    matches: Matches, *, sd: float, min_matches: int, prizes: Prizes = WINNER, seed: int = 0
) -> float | None:
    """Mean difference over SD when the same players play as often as they did, but against anybody.

    Opponents are shuffled, skills are normal with the SD of the record, results logistic with its draw rate; the mean
    of a few such games, each fitted like the record. The record's ratio means something only beside this one, and even
    then little: among opponents of equal strength ratings are narrower too, so that the ratio hardly moves.
    None if the ratings of a simulated game do not spread, or have no best fit.
    """
    ratios = []
    for child in np.random.SeedSequence(seed).spawn(_REPLAYS if len(matches) <= _LONG else 1):
        rng = np.random.default_rng(child)
        skill = sd * rng.standard_normal(len(matches.players))
        simulated = _replay(matches, skill, rng)
        # shuffled seats have no prizes of their own
        paid = WINNER if prizes.rule == RECORDED.rule else prizes
        apart = RatingDifferences()
        try:
            fit = fit_best_elo(simulated, prizes=paid, observer=apart)
        except NoFiniteFit:
            return None
        spread = measure_spread(fit.rating, simulated.counts, min_matches=min_matches)
        if not spread.sd:
            return None
        ratios.append(apart.mean / spread.sd)
    return float(np.mean(ratios))


def _replay(matches: Matches, skill: Floats, rng: np.random.Generator) -> Matches:
    """Players of these skills, equally active, against anybody."""
    if isinstance(matches.table, Seats):
        return _replay_seats(matches, skill, rng)
    first, second = _shuffle_opponents(matches, rng)
    parts = [slice(start, start + _PART) for start in range(0, len(first), _PART)]

    def expect(part: slice) -> Floats:
        return expected_score(skill[first[part]] - skill[second[part]])

    nu = _fit_draws((expect(part) for part in parts), matches.draw_rate or 0.0)
    halves = np.concatenate([draw_results(expect(part), nu, rng) for part in parts])
    return Matches.of_pairs(*map(owned, (first, second, halves)), players=matches.players, ordered=True)


def _fit_draws(parts: Iterable[Floats], draw_rate: float) -> float:
    """The draws that give this rate on average; forecasts in narrow bins, since there may be very many."""
    if draw_rate <= 0:
        return 0.0
    n, total = np.zeros((2, _BINS))
    for expected in parts:
        place = np.minimum((expected * _BINS).astype(np.int64), _BINS - 1)
        n += np.bincount(place, minlength=_BINS)
        total += np.bincount(place, expected, minlength=_BINS)
    used = n > 0
    return fit_draws(total[used] / n[used], draw_rate, n[used])


def _replay_seats(matches: Matches, skill: Floats, rng: np.random.Generator) -> Matches:
    """All seats shuffled; matches in which somebody would sit twice are left out."""
    seats = matches.seats
    player = rng.permutation(seats.player)
    match = np.repeat(np.arange(len(seats)), seats.sizes)
    order = np.lexsort((player, match))
    twice = (np.diff(player[order]) == 0) & (np.diff(match[order]) == 0)
    sound = np.ones(len(seats), bool)
    sound[match[order[1:][twice]]] = False
    kept = sound[match]
    starts = np.concatenate(([0], np.cumsum(seats.sizes[sound])))
    key = from_elo(skill)[player] + rng.gumbel(size=len(player))
    return Matches.of_seats(starts, player[kept], -key[kept], players=matches.players, ordered=True)


def _shuffle_opponents(matches: Matches, rng: np.random.Generator) -> tuple[Codes, Codes]:
    """The first seats as they are, the second seats shuffled; a player who would meet themselves swaps with another."""
    first, second = matches.pairs.first, rng.permutation(matches.pairs.second)
    for _ in range(100):
        same = np.flatnonzero(first == second)
        if not len(same):
            break
        other = rng.integers(0, len(first), len(same))
        for i, j in zip(same, other, strict=True):
            second[i], second[j] = second[j], second[i]
    sound = first != second
    return (first, second) if sound.all() else (first[sound], second[sound])
