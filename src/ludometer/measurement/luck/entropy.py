"""Entropy luck L = H(O | A) / H(O): how much of the outcome stays open when one knows who plays.

P_a is the distribution of player a's outcomes against opponents from the matchmaker, P its mean over players;
L = (mean entropy of P_a) / (entropy of P), and the returns to skill are 1 - L (Gilbert and Wells, eq. 1-3). The uniform
matchmaker is the point: the probabilities come from the model for all pairs, not from the matches that happened.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from ludometer.arrays import Array, Codes, Counts, Floats
from ludometer.errors import LudometerError, MatchDataError
from ludometer.matches import Matches, Seats
from ludometer.players import Players
from ludometer.result import Provenance
from ludometer.strength.skills import Link, Skills, cdf

if TYPE_CHECKING:
    import altair
    import polars as pl

Outcome = Literal["place", "winner"]

_CHUNK = 1 << 13
_PART = 1 << 20
"""Matches that are looked at together."""

_MANY, _STAND_INS = 20_000, 4_096
"""Of more players than the first, so many stand for all where a player needs a whole row of numbers."""

_TWO = ("win", "tie", "loss")
_EITHER = ("win", "loss")


def measure_entropy_luck(
    skills: Skills,
    *,
    per_match: int = 2,
    outcome: Outcome = "place",
    winners: int | Sequence[float] | Array = 1,
    weights: Sequence[float] | Array | None = None,
) -> EntropyLuck:
    """L for fitted skills under the uniform matchmaker, exactly, and without listing pairs or tables.

    Two players win, tie or lose; P_a is a smooth function of the skill, interpolated in Chebyshev's nodes. With
    more than two players `per_match`, each has a place, or only winning counts; performances are Gumbel (Plackett-Luce)
    or normal, without ties. With the outcome "winner" a table may have several `winners`, so that P_a(win) is the
    probability of a place up to that; where their number varies (any may win as long as one loses, section 2.1), give
    the probabilities of 1, 2, ... winners, such as `count_winners` finds in a record. `weights`, one per player (see
    `weigh_by_experience`), ask for another population: a table then comes together in proportion to the product of its
    players' weights.

    >>> matches = Matches.of_pairs([0, 1, 0, 2], [1, 2, 2, 0], [1, 1, 1, 0])
    >>> from ludometer.strength.pairwise import fit_skills
    >>> round(measure_entropy_luck(fit_skills(matches)).luck, 3)
    0.751
    """
    code = np.flatnonzero(skills.played).astype(np.int32)
    skill, weight = skills.skill[code], _player_weights(weights, skills, code)
    if not 2 <= per_match <= len(code):
        raise LudometerError(f"a match needs from 2 to {len(code)} players, not {per_match}")
    if outcome not in ("place", "winner"):
        raise LudometerError(f"no outcome is called {outcome!r}; there are: place, winner")
    of_winners = _probabilities_of_winners(winners, per_match)
    if of_winners[0] < 1 and outcome != "winner":
        raise LudometerError("several winners need the outcome 'winner': places tell more than who won")
    names: tuple[str, ...]
    if per_match == 2:
        chances, share, names = _against_all(skill, weight, skills), weight * (1 - weight), _TWO
        if not skills.threshold:
            chances, names = chances[:, ::2], _EITHER
    else:
        chances, share = _at_tables(skill, weight, per_match, skills.link)
        names = tuple(f"place {place}" for place in range(1, per_match + 1))
        if outcome == "winner":
            # who has place k is among the winners if there are at least k
            win = np.clip(chances[:, :-1] @ of_winners[::-1].cumsum()[::-1], 0, 1)
            chances, names = np.column_stack((win, 1 - win)), _EITHER
    parameters = {"per_match": per_match, "outcome": outcome, "weighted": weights is not None}
    if of_winners[0] < 1:
        parameters["winners"] = of_winners.tolist()
    return _result(skills, code, share, names, chances, "entropy luck", parameters)


def measure_luck_under(
    skills: Skills,
    first: Sequence[int] | Array,
    second: Sequence[int] | Array,
    *,
    weights: Sequence[float] | Array | None = None,
) -> EntropyLuck:
    """L under the matchmaker that pairs these codes with these weights; the first seat keeps its advantage, if any.

    With the pairs of a record this is the luck of the matches that were made. What it has more than the uniform
    matchmaker's is the luck of matchmaking, the fourth type of Gilbert and Wells (section 1.2).

    >>> matches = Matches.of_pairs([0, 1, 0, 2], [1, 2, 2, 0], [1, 1, 1, 0])
    >>> from ludometer.strength.pairwise import fit_skills
    >>> skills = fit_skills(matches)
    >>> measure_luck_under(skills, [0, 1], [1, 2]).luck > measure_entropy_luck(skills).luck
    True
    """
    ones, others = np.asarray(first), np.asarray(second)
    given = np.broadcast_to(1.0, len(ones)) if weights is None else np.asarray(weights, np.float64)
    if not len(ones) == len(others) == len(given) or not given.sum() > 0 or (given < 0).any():
        raise LudometerError("a matchmaker needs as many first players, second players and weights, not all 0")
    n = len(skills.skill)
    total, won, lost = np.zeros((3, n))
    for start in range(0, len(ones), _PART):
        i, j, weight = (own[start : start + _PART] for own in (ones, others, given))
        d = skills.skill[i] - skills.skill[j] + (skills.advantage or 0.0)
        if not np.isfinite(d).all():
            raise LudometerError("a matchmaker pairs a player who has no skill")
        win, loss = cdf(d - skills.threshold, skills.link), cdf(-d - skills.threshold, skills.link)
        total += np.bincount(i, weight, n) + np.bincount(j, weight, n)
        won += np.bincount(i, weight * win, n) + np.bincount(j, weight * loss, n)
        lost += np.bincount(i, weight * loss, n) + np.bincount(j, weight * win, n)
    code = np.flatnonzero(total > 0).astype(np.int32)
    chances = np.column_stack((won, total - won - lost, lost))[code] / total[code, np.newaxis]
    return _result(skills, code, total[code], _TWO, np.maximum(chances, 0), "entropy luck of a matchmaker", {})


def measure_matchmaking_luck(skills: Skills, matches: Matches) -> float:
    """The luck of matchmaking: L under the pairings of these matches less L under the uniform matchmaker.

    Above 0 where equals meet equals, as on a platform that looks for even matches; below where the unequal meet.

    >>> from ludometer.strength.pairwise import fit_skills
    >>> matches = Matches.of_pairs([0, 1, 0, 2], [1, 2, 2, 0], [1, 1, 1, 0])
    >>> round(measure_matchmaking_luck(fit_skills(matches), matches), 3)
    -0.083
    """
    made = measure_luck_under(skills, matches.pairs.first, matches.pairs.second)
    return made.luck - measure_entropy_luck(skills).luck


def measure_season_luck(
    skills: Skills, n_matches: int, *, weights: Sequence[float] | Array | None = None
) -> EntropyLuck:
    """L of a season: the outcome is what a player scores in n matches against uniformly drawn opponents.

    The longer a season, the more it says about the players: leagues rank differently by a season than by a single
    match, which is how Mauboussin's order differs from that of Gilbert and Wells (section 4.1). Read `continuous`
    there: it falls with n, while the ratio L rises again once points are so fine that H(O) grows by them alone.

    >>> from ludometer.strength.pairwise import fit_skills
    >>> skills = fit_skills(Matches.of_pairs([0, 1, 0, 2], [1, 2, 2, 0], [1, 1, 1, 0]))
    >>> measure_season_luck(skills, 20).continuous < measure_season_luck(skills, 1).continuous
    True
    """
    if n_matches < 1:
        raise LudometerError(f"a season has at least one match, not {n_matches}")
    one = measure_entropy_luck(skills, weights=weights)
    ties = len(one.outcomes) == 3
    chosen, share = _stand_ins(skills.skill[one.code], one.share)
    steps = one.by_player[chosen, ::-1]
    length = (2 if ties else 1) * n_matches + 1
    season = np.empty((len(chosen), length))
    for start in range(0, len(season), _CHUNK):
        part = slice(start, start + _CHUNK)
        # a power of the polynomial of one match, in the roots of unity
        season[part] = np.fft.irfft(np.fft.rfft(steps[part], length, axis=1) ** n_matches, length, axis=1)
    season = np.maximum(season[:, ::-1], 0)
    names = tuple(f"{points / (2 if ties else 1):g} points" for points in range(length - 1, -1, -1))
    code = one.code[chosen]
    return _result(skills, code, share, names, season, "entropy luck of a season", {"n_matches": n_matches})


def _stand_ins(skill: Floats, share: Floats) -> tuple[Counts, Floats]:
    """Players who stand for all, and how often they play: of many, some from the weakest to the strongest.

    Those between two of them count for both, the more for the nearer one, so that a mean over players of anything
    smooth in their skills is that over the stand-ins.
    """
    if len(skill) <= _MANY:
        return np.arange(len(skill)), share
    order = np.argsort(skill, kind="stable")
    ranks = np.unique(np.linspace(0, len(skill) - 1, _STAND_INS).round().astype(np.int64))
    nodes = skill[order[ranks]]
    # the number of nodes below, but for the last one, and how far the player is from there to the next
    below = np.clip(np.searchsorted(nodes, skill, side="right") - 1, 0, len(nodes) - 2)
    width = nodes[below + 1] - nodes[below]
    beyond = np.where(width > 0, (skill - nodes[below]) / np.where(width > 0, width, 1), 0.0)
    weight = np.bincount(below, share * (1 - beyond), len(nodes)) + np.bincount(below + 1, share * beyond, len(nodes))
    return order[ranks], np.asarray(weight, np.float64)


def measure_empirical_luck(
    matches: Matches, *, outcome: Outcome = "place", winners: int = 1, min_matches: int = 25, corrected: bool = True
) -> EntropyLuck:
    """L from each player's own results without a model, for records whose opponents were drawn uniformly.

    Gilbert and Wells, section 3. The outcome "winner" asks of multiplayer matches only who won: all with a place up to
    `winners`, so that those who share the first place, as a team or otherwise, win together; where nobody loses it is
    a tie. From n results an entropy comes out too small, by (k - 1) / (2 n) nats for the k outcomes that occur (Miller
    1955); `corrected` adds that to the players' entropies.

    >>> teams = Matches.of_seats([0, 4, 8], [0, 1, 2, 3, 0, 2, 1, 3], [1, 1, 3, 3, 1, 1, 3, 3])
    >>> found = measure_empirical_luck(teams, outcome="winner", min_matches=2, corrected=False)
    >>> found.outcomes, found.by_player[:, 0].tolist(), found.luck
    (('win', 'loss'), [1.0, 0.5, 0.5, 0.0], 0.5)
    """
    table, n = matches.table, len(matches.players)
    if outcome not in ("place", "winner"):
        raise LudometerError(f"no outcome is called {outcome!r}; there are: place, winner")
    if isinstance(table, Seats):
        kind, names = _outcomes_of_seats(table, outcome, winners)
        own = table.player.astype(np.int64) * len(names) + kind
    else:
        _probabilities_of_winners(winners, 2)
        first, second = table.first * np.int64(3) + 2 - table.halves, table.second * np.int64(3) + table.halves
        own, names = np.concatenate((first, second)), _TWO
    counts = np.bincount(own, minlength=n * len(names)).reshape(n, len(names))
    code = np.flatnonzero(counts.sum(axis=1) >= min_matches).astype(np.int32)
    if len(code) < 2:
        raise MatchDataError(f"fewer than two players have {min_matches} matches")
    counts = counts[code]
    played = counts.sum(axis=1)
    bias = float(np.mean(((counts > 0).sum(axis=1) - 1) / (2 * played))) / math.log(2) if corrected else 0.0
    parameters: dict[str, Any] = {"min_matches": min_matches, "corrected": corrected}
    if outcome == "winner":
        parameters |= {"outcome": outcome, "winners": winners}
    provenance = Provenance("empirical entropy luck", parameters, matches.fingerprint)
    share = np.full(len(code), 1 / len(code))
    return EntropyLuck(matches.players, code, share, names, counts / played[:, np.newaxis], bias, provenance)


def count_winners(matches: Matches, *, winners: int = 1) -> Floats:
    """The shares of matches with 1, 2, ... winners: those with a place up to `winners`, ties and all.

    Matches that nobody lost are left out; all must have the same number of players.

    >>> teams = Matches.of_seats([0, 3, 6], [0, 1, 2, 0, 1, 2], [1, 1, 3, 1, 2, 3])
    >>> count_winners(teams).tolist()
    [0.5, 0.5]
    """
    seats = matches.seats
    size = _common_size(seats)
    _probabilities_of_winners(winners, size)
    number = np.add.reduceat((seats.place <= winners).astype(np.int64), seats.starts[:-1])
    count = np.bincount(number[number < size] - 1, minlength=size - 1)
    if not count.sum():
        raise MatchDataError("in no match did anybody lose")
    return np.asarray(count / count.sum())


def weigh_by_experience(experience: Counts, edges: Sequence[float], shares: Sequence[float]) -> Floats:
    """Weights of players at which the classes of experience between `edges` have these shares (section 1.5).

    >>> weigh_by_experience(np.array([5, 50, 70, 3]), edges=[0, 10, 100], shares=[1, 1]).tolist()
    [0.25, 0.25, 0.25, 0.25]
    """
    if len(edges) != len(shares) + 1 or (np.diff(edges) <= 0).any() or min(shares, default=-1) < 0:
        raise LudometerError("classes of experience need rising edges, one more than there are shares from 0 up")
    within = np.digitize(experience, edges) - 1
    inside = (within >= 0) & (within < len(shares))
    size = np.bincount(within[inside], minlength=len(shares))
    wanted = np.asarray(shares, np.float64) / np.sum(shares)
    if (size[wanted > 0] == 0).any():
        raise LudometerError("a class of experience that should have a share has no players")
    weight = np.zeros(len(experience))
    weight[inside] = (wanted / np.maximum(size, 1))[within[inside]]
    return weight


def _result(
    skills: Skills,
    code: Codes,
    share: Floats,
    names: tuple[str, ...],
    chances: Floats,
    method: str,
    settings: dict[str, Any],
) -> EntropyLuck:
    provenance = Provenance(method, skills.provenance.parameters | settings, skills.provenance.data)
    return EntropyLuck(skills.players, code, share / share.sum(), names, chances, 0.0, provenance)


def _player_weights(weights: Sequence[float] | Array | None, skills: Skills, code: Codes) -> Floats:
    if weights is None:
        return np.full(len(code), 1 / max(len(code), 1))
    weight = np.asarray(weights, np.float64)
    if weight.shape != skills.skill.shape:
        raise LudometerError(f"{len(skills.skill)} players but {weight.size} weights")
    weight = weight[code]
    if not (np.isfinite(weight) & (weight >= 0)).all() or np.count_nonzero(weight) < 2:
        raise LudometerError("weights of players must be numbers from 0 up, at least two of them above 0")
    return np.asarray(weight / weight.sum())


def _against_all(skill: Floats, weight: Floats, skills: Skills) -> Floats:
    """(players, 3): win, tie and loss against one of the others, in either seat as often."""
    from ludometer.kernels.skills.places import sum_over_players

    t, seats = skills.threshold, ([0.0] if skills.advantage is None else [skills.advantage, -skills.advantage])
    rest = np.maximum(1 - weight, 1e-300)
    columns = []
    for sign in (1, -1):
        chance = np.zeros(len(skill))
        for seat in seats:
            beats = partial(_beats, sign=sign, shift=seat - t, link=skills.link)
            everybody = sum_over_players(beats, skill, weight)
            chance += (everybody - weight * float(beats(np.zeros(1))[0])) / rest / len(seats)
        columns.append(np.clip(chance, 0, 1))
    win, loss = columns
    return np.column_stack((win, np.maximum(1 - win - loss, 0), loss))


def _beats(d: Floats, *, sign: int, shift: float, link: Link) -> Floats:
    return cdf(sign * d + shift, link)


def _at_tables(skill: Floats, weight: Floats, per_match: int, link: Link) -> tuple[Floats, Floats]:
    """The chances of all places, and how often each player sits at a table."""
    from ludometer.kernels.skills.places import make_nodes, place_chances

    relative = weight * len(weight)
    nodes = make_nodes(skill, link == "probit")
    chance = place_chances(skill, relative, skill, relative, per_match, link == "probit", nodes)
    chance = np.maximum(chance, 0)
    tables = chance.sum(axis=1)
    return chance / tables[:, np.newaxis], relative * tables


def _probabilities_of_winners(winners: int | Sequence[float] | Array, per_match: int) -> Floats:
    """The probabilities of 1, 2, ..., per_match - 1 winners: somebody has to lose."""
    chance = np.zeros(per_match - 1)
    if isinstance(winners, int | np.integer):
        if not 1 <= winners < per_match:
            raise LudometerError(f"of {per_match} players, between 1 and {per_match - 1} can win, not {winners}")
        chance[winners - 1] = 1
        return chance
    given = np.asarray(winners, np.float64)
    if given.ndim != 1 or not 1 <= len(given) < per_match or not (given >= 0).all() or not given.sum() > 0:
        raise LudometerError(f"of {per_match} players 1 to {per_match - 1} win: give the probability of each number")
    chance[: len(given)] = given / given.sum()
    return chance


def _common_size(seats: Seats) -> int:
    if not len(seats):
        raise MatchDataError("there are no matches")
    if (seats.sizes != seats.sizes[:1]).any():
        raise MatchDataError("outcomes are places: all matches must have the same number of players")
    return int(seats.sizes[0])


def _outcomes_of_seats(seats: Seats, outcome: Outcome, winners: int) -> tuple[Counts, tuple[str, ...]]:
    """The number of each seat's outcome, and what the outcomes are called."""
    size = _common_size(seats)
    chance = _probabilities_of_winners(winners, size)
    if outcome == "place":
        if chance[0] < 1:
            raise LudometerError("several winners need the outcome 'winner': places tell more than who won")
        return seats.place.astype(np.int64) - 1, tuple(f"place {place}" for place in range(1, size + 1))
    won = (seats.place <= winners).reshape(-1, size)
    everybody = won.all(axis=1, keepdims=True)
    if not everybody.any():
        return np.where(won, 0, 1).ravel().astype(np.int64), _EITHER
    return np.where(everybody, 1, np.where(won, 0, 2)).ravel().astype(np.int64), _TWO


def continuous_luck(information: float) -> float:
    """L = exp(-I(O, A)) for outcomes on a continuous scale, with the information in nats (Gilbert and Wells, eq. 5).

    >>> continuous_luck(0.0), round(continuous_luck(1.0), 3)
    (1.0, 0.368)
    """
    if not information >= 0:
        raise LudometerError(f"information is a number from 0 up, not {information}")
    return math.exp(-information)


def measure_continuous_luck(player: Sequence[int] | Array, score: Sequence[float] | Array) -> float:
    """L = exp(-I) for scores that are normal around each player's mean: root of (variance within / variance of all).

    Then I = ln(variance of all / variance within) / 2. The variances are unbiased: that within players pools their
    squares over N - players, that between them is what the analysis of variance leaves, at least 0.

    >>> rng = np.random.default_rng(0)
    >>> who = np.repeat(np.arange(500), 50)
    >>> round(measure_continuous_luck(who, rng.normal(size=500)[who] + rng.normal(size=25_000)), 1)
    0.7
    """
    who = np.unique(np.asarray(player), return_inverse=True)[1]
    value = np.asarray(score, np.float64)
    count = np.bincount(who)
    total, groups = len(value), len(count)
    if groups < 2 or total <= groups or not np.isfinite(value).all():
        raise MatchDataError("at least two players, one of them with two scores, and finite scores are needed")
    mean = np.bincount(who, value) / count
    within = float(((value - mean[who]) ** 2).sum()) / (total - groups)
    between = float((count * (mean - value.mean()) ** 2).sum()) / (groups - 1)
    size = (total - float((count**2).sum()) / total) / (groups - 1)
    variance = max((between - within) / size, 0.0)
    return math.sqrt(within / (within + variance)) if within + variance else math.nan


def information_of_densities(density: Floats, spacing: float, *, share: Floats | None = None) -> float:
    """I(O, A) in nats from players' densities (players, grid), on a grid with this spacing.

    >>> grid = np.arange(-10, 10, 0.01)
    >>> both = np.exp(-0.5 * (grid - np.array([[-5.0], [5.0]])) ** 2) / math.sqrt(2 * math.pi)
    >>> round(information_of_densities(both, 0.01), 3) == round(math.log(2), 3)
    True
    """
    from scipy.special import entr

    how_often = np.full(len(density), 1 / len(density)) if share is None else share / share.sum()
    own, all_together = entr(density).sum(axis=1) * spacing, float(entr(how_often @ density).sum()) * spacing
    return max(all_together - float(how_often @ own), 0.0)


@dataclass(frozen=True, eq=False)
class EntropyLuck:
    """L, and the distributions of outcomes that it comes from; entropies are in bits."""

    players: Players
    code: Codes
    """Whose distributions these are."""
    share: Floats
    """How often each of them plays."""
    outcomes: tuple[str, ...]
    by_player: Floats
    """(players, outcomes)."""
    bias: float
    """Bits added to the players' mean entropy, which is too small where each has few matches; 0 for models."""
    provenance: Provenance

    @property
    def overall(self) -> Floats:
        """The distribution of outcomes of whoever plays."""
        return np.asarray(self.share @ self.by_player)

    @property
    def entropy(self) -> float:
        """H(O)."""
        return float(entropies(self.overall))

    @property
    def conditional_entropy(self) -> float:
        """H(O | A)."""
        return min(float(self.share @ entropies(self.by_player)) + self.bias, self.entropy)

    @property
    def luck(self) -> float:
        """L: 1 if it does not matter who plays, 0 if that tells everything."""
        return self.conditional_entropy / self.entropy if self.entropy > 0 else math.nan

    @property
    def continuous(self) -> float:
        """exp(-I(O, A)), the luck of outcomes on a continuous scale (eq. 5), for many outcomes such as points.

        For normal scores its square is Mauboussin's ratio: the variance that luck alone gives, over all variance.
        """
        return continuous_luck((self.entropy - self.conditional_entropy) * math.log(2))

    @property
    def returns(self) -> float:
        """S = 1 - L, the returns to skill."""
        return 1 - self.luck

    def to_frame(self) -> pl.DataFrame:
        """One row per player: how often they play, and the probability of each outcome."""
        import polars as pl

        columns = {name: self.by_player[:, k] for k, name in enumerate(self.outcomes)}
        return pl.DataFrame({"player": self.players.names.gather(self.code), "share": self.share, **columns})

    def summary(self) -> str:
        """The measure in one line."""
        return (
            f"L {self.luck:.3f}: of {self.entropy:.3f} bits in an outcome {self.conditional_entropy:.3f} stay open "
            f"when one knows who plays ({len(self.code):,} players)"
        )

    def plot(self) -> altair.Chart:
        """How the probability of the best outcome differs between players."""
        import altair as alt

        count, edge = np.histogram(self.by_player[:, 0], bins=20, range=(0, 1), weights=self.share)
        bars = [
            {"from": float(low), "to": float(high), "share": float(n)}
            for low, high, n in zip(edge[:-1], edge[1:], count, strict=True)
        ]
        chart: alt.Chart = (
            alt.Chart(alt.InlineData(values=bars), width=420, height=220)
            .mark_bar(color="#4c6a92")
            .encode(
                x=alt.X("from:Q", bin="binned", title=f"Probability of: {self.outcomes[0]}"),
                x2="to:Q",
                y=alt.Y("share:Q", title="Share of players"),
            )
        )
        return chart


def entropies(distribution: Floats) -> Floats:
    """In bits, over the last axis.

    >>> entropies(np.array([[0.5, 0.5], [1.0, 0.0]])).tolist()
    [1.0, 0.0]
    """
    from scipy.special import entr

    return np.asarray(entr(distribution).sum(axis=-1) / math.log(2))
