"""Older measures of luck (variance ratio, skill chain, repetitions), and one spread of skills read on all scales."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ludometer.arrays import Floats
from ludometer.errors import LudometerError, MatchDataError
from ludometer.matches import Matches
from ludometer.measurement.luck.entropy import entropies
from ludometer.measurement.spread import repetitions
from ludometer.scale import GUMBEL_SD, elo_to_probit, expected_score, from_elo, probit_to_elo, to_elo
from ludometer.strength.skills import Skills, cdf, quantile
from ludometer.wording import percent

if TYPE_CHECKING:
    import polars as pl

_UNEQUAL = 0.2
"""Of the SD of players' numbers of matches over their mean: above it one n does not stand for all players."""


@dataclass(frozen=True)
class VarianceRatio:
    """The variance of win rates that luck alone would give, over the observed one (Mauboussin 2012)."""

    luck: float
    expected_variance: float
    observed_variance: float
    mean_matches: float
    inequality: float
    """The SD of the players' numbers of matches over their mean."""

    @property
    def balanced(self) -> bool:
        """Whether all play about as often, as the ratio needs."""
        return self.inequality <= _UNEQUAL

    def summary(self) -> str:
        """The ratio in one line, and a warning where it does not hold."""
        text = (
            f"variance of win rates by luck alone {self.expected_variance:.5f}, observed {self.observed_variance:.5f}: "
            f"{percent(self.luck)} luck in a season of {self.mean_matches:.4g} matches"
        )
        return text if self.balanced else text + "; players' activity is too unequal for this measure"


@dataclass(frozen=True)
class SkillChain:
    """Players each of whom beats the next with at least this probability (Elias, Garfield and Gutschera 2012)."""

    probability: float
    length: int
    """Of the longest chain among the actual players."""
    bound: float
    """1 + (highest - lowest skill) / gap: no chain is longer."""
    between_quantiles: float
    """The same from the 1% to the 99% quantile, which does not grow with the number of players."""
    codes: tuple[int, ...]
    """The chain, best first."""

    def summary(self) -> str:
        """The chain in one line."""
        return (
            f"a chain of {self.length} players, each beating the next with {percent(self.probability, 0)} "
            f"(at most {self.bound:.2f}; {self.between_quantiles:.2f} from the 1% to the 99% quantile)"
        )


def measure_variance_ratio(matches: Matches) -> VarianceRatio:
    """V0 / V, V being the sample variance of players' scores per match and V0 = (1 - draw rate) / (4 n) that of a coin.

    Mauboussin 2012, as Gilbert and Wells have it (section 1.3.2; they print V0 = .25 n). n is the harmonic mean of the
    players' numbers of matches, so that V0 is the mean of the players' own; the ratio needs them to be similar.

    >>> season = Matches.of_pairs([0, 1, 2, 1, 2, 0], [1, 2, 0, 0, 1, 2], [1, 1, 0, 0, 0.5, 1])
    >>> round(measure_variance_ratio(season).luck, 3)
    0.256
    """
    pairs, n = matches.pairs, len(matches.players)
    played = matches.counts
    chosen = played > 0
    if chosen.sum() < 2:
        raise MatchDataError("at least two players are needed")
    score = np.bincount(pairs.first, pairs.score, n) + np.bincount(pairs.second, 1 - pairs.score, n)
    rate, count = (score / np.maximum(played, 1))[chosen], played[chosen].astype(np.float64)
    drawn = matches.draw_rate or 0.0
    expected, observed = (1 - drawn) / 4 * float((1 / count).mean()), float(rate.var(ddof=1))
    return VarianceRatio(
        luck=expected / observed if observed else np.inf,
        expected_variance=expected,
        observed_variance=observed,
        mean_matches=float(count.mean()),
        inequality=float(count.std() / count.mean()),
    )


def measure_skill_chain(skills: Skills, *, probability: float = 0.6) -> SkillChain:
    """The longest chain of players in which each beats the next with at least this probability, found greedily.

    P(win) = F(s_1 - s_2 - t) >= p where the skills differ by t + logit(p), or t + root 2 times the normal quantile of
    p: from the best player down, always the next who is far enough below. No chain is longer, since taking the
    nearest leaves the most.

    >>> from ludometer.strength.pairwise import fit_skills
    >>> measure_skill_chain(fit_skills(Matches.of_pairs([0, 1, 0], [1, 2, 2], [1, 1, 1]))).length
    3
    """
    if not 0.5 < probability < 1:
        raise LudometerError(f"a chain needs a probability between 0.5 and 1, not {probability}")
    gap = quantile(probability, skills.link) + skills.threshold
    code = np.flatnonzero(skills.played)
    code = code[np.argsort(-skills.skill[code], kind="stable")]
    if not len(code):
        raise LudometerError("nobody has a skill")
    falling = skills.skill[code]
    chain = _greedy(-falling, gap)
    low, high = (float(value) for value in np.quantile(falling, [0.01, 0.99]))
    return SkillChain(
        probability,
        len(chain),
        1 + float(falling[0] - falling[-1]) / gap,
        1 + (high - low) / gap,
        tuple(int(code[k]) for k in chain),
    )


@dataclass(frozen=True)
class Repetitions:
    """How many games make the better player lead with this confidence; None where no number up to a billion does."""

    confidence: float
    one_sd: int | None
    """For a player who is one SD of the skills better."""
    top_against_bottom: int | None
    """For the 99% quantile against the 1% quantile."""


def measure_repetitions(skills: Skills, *, confidence: float = 0.75) -> Repetitions:
    """Odd numbers of decided games after which the better player has won most with more than the confidence.

    Duersch et al. 2020 have one SD and 75%. Ties decide nothing and are left out.

    >>> from ludometer.strength.pairwise import fit_skills
    >>> fit = fit_skills(Matches.of_pairs([0, 1, 0, 2, 1], [1, 2, 2, 0, 0], [1, 1, 1, 1, 1]))
    >>> measure_repetitions(fit).one_sd
    13
    """
    if not 0.5 < confidence < 1:
        raise LudometerError(f"the confidence must be between 0.5 and 1, not {confidence}")
    known = skills.skill[skills.played]
    low, high = np.quantile(known, [0.01, 0.99])
    gaps = np.array([known.std(ddof=1), high - low])
    win, loss = (cdf(sign * gaps - skills.threshold, skills.link) for sign in (1, -1))
    one_sd, ends = (repetitions(float(p), confidence) for p in win / (win + loss))
    return Repetitions(confidence, one_sd, ends)


def _greedy(rising: Floats, gap: float) -> list[int]:
    """The first, then always the first that is at least a gap above the last."""
    chain = [0]
    while True:
        following = int(np.searchsorted(rising, rising[chain[-1]] + gap * (1 - 1e-12)))
        if following >= len(rising):
            return chain
        chain.append(following)


LEAST_LUCK = 1 / (2 * math.log(2))
"""L of a normal population as its SD grows: who wins is certain, against whom one plays is not. 0.721."""

_STEP, _REACH = 1 / 64, 12.0


@dataclass(frozen=True)
class SpreadReading:
    """One SD of skills on all scales, for two-player matches without ties.

    The normal and the logistic model are joined where their curves are nearest, at 1.702 / root 2 log-odds for one SD
    of a normal performance, as in `Skills.elo`: one SD of skills then means the same chance of winning in both, to
    0.0095. `l2` is that of the normal model. The logistic model has Gumbel performances, whose SD is pi / root 6
    log-odds, and so an l2 of its own, `logit_l2`: that is what `Skills.l2` of a logit fit is.
    """

    elo_sd: float
    logit_sd: float
    """In log-odds."""
    probit_sd: float
    """In SDs of a normal performance, whose variance is 1."""
    l2: float
    """1 / (1 + probit_sd^2)."""
    delta2: float
    """1 - l2."""
    logit_l2: float
    """1 / (1 + logit_sd^2 / (pi^2 / 6))."""
    p_sd: float
    """The probability that a player one SD better wins, by the logistic curve."""
    rep: int | None
    """Games until they lead with more than 75%; None if a billion would not do."""
    luck: float
    """L, the entropy luck of a normal population with this SD, by the normal model."""

    def to_frame(self) -> pl.DataFrame:
        """reading, value."""
        import polars as pl

        names = list(self.__dataclass_fields__)
        values = [getattr(self, name) for name in names]
        columns = {"reading": names, "value": [None if value is None else float(value) for value in values]}
        return pl.DataFrame(columns, schema={"reading": pl.String, "value": pl.Float64})

    def summary(self) -> str:
        """All readings in three lines."""
        rep = "no number of games is enough" if self.rep is None else f"{self.rep:,} games until they lead with 75%"
        return "\n".join(
            (
                f"SD of skills {self.elo_sd:.1f} Elo points, {self.logit_sd:.3f} log-odds, "
                f"{self.probit_sd:.3f} SDs of performance",
                f"l2 {self.l2:.3f}, delta2 {self.delta2:.3f} (Gumbel performances: l2 {self.logit_l2:.3f}), "
                f"L {self.luck:.3f}",
                f"one SD better wins {percent(self.p_sd)}, {rep}",
            )
        )


def read_spread(
    *,
    elo_sd: float | None = None,
    logit_sd: float | None = None,
    probit_sd: float | None = None,
    l2: float | None = None,
    delta2: float | None = None,
    logit_l2: float | None = None,
    p_sd: float | None = None,
) -> SpreadReading:
    """All readings of a spread of skills from one of them.

    >>> chess = read_spread(elo_sd=171.7)
    >>> round(chess.l2, 3), round(chess.p_sd, 3), chess.rep, round(chess.luck, 3)
    (0.597, 0.729, 3, 0.901)
    >>> round(read_spread(l2=chess.l2).elo_sd, 9)
    171.7
    """
    given = {
        "elo_sd": elo_sd,
        "logit_sd": logit_sd,
        "probit_sd": probit_sd,
        "l2": l2,
        "delta2": delta2,
        "logit_l2": logit_l2,
        "p_sd": p_sd,
    }
    known = {name: value for name, value in given.items() if value is not None}
    if len(known) != 1:
        raise LudometerError(f"give one reading of a spread, not {len(known)}: {', '.join(given)}")
    ((name, value),) = known.items()
    sd = _logit_sd(name, float(value))
    points = to_elo(sd)
    probit = elo_to_probit(points)
    p = float(expected_score(np.array(points)))
    return SpreadReading(
        elo_sd=points,
        logit_sd=sd,
        probit_sd=probit,
        l2=1 / (1 + probit**2),
        delta2=probit**2 / (1 + probit**2),
        logit_l2=1 / (1 + (sd / GUMBEL_SD) ** 2),
        p_sd=p,
        rep=repetitions(p),
        luck=normal_luck(probit),
    )


def normal_luck(probit_sd: float) -> float:
    """L of normally distributed skills in two-player matches without ties, performances being normal with variance 1.

    Against an opponent drawn from the population a player of skill s wins with Phi(s / root(2 + SD^2)); L is the mean
    over s of the entropy of that, in bits, since over all players the outcome has one bit.

    >>> normal_luck(0.0), round(normal_luck(1.0), 3)
    (1.0, 0.875)
    """
    from scipy.special import ndtr

    # the trapezoidal rule, which for a smooth function under a normal density misses by rounding only
    z = np.arange(-_REACH, _REACH + _STEP, _STEP)
    density = np.exp(-0.5 * z * z) * (_STEP / math.sqrt(2 * math.pi))
    win = ndtr(z * (probit_sd / math.hypot(math.sqrt(2), probit_sd)))
    return float(density @ entropies(np.column_stack((win, win[::-1]))) / density.sum())


def _logit_sd(name: str, value: float) -> float:
    """The SD in log-odds from any reading, within its bounds."""
    low, high = {"p_sd": (0.5, 1.0), "delta2": (0.0, 1.0)}.get(name, (0.0, math.inf))
    if name in ("l2", "logit_l2"):
        if not 0 < value <= 1:
            raise LudometerError(f"{name} is a number above 0 and up to 1, not {value:g}")
        performances = math.sqrt((1 - value) / value)
        return GUMBEL_SD * performances if name == "logit_l2" else from_elo(probit_to_elo(performances))
    if not low <= value < high:
        raise LudometerError(f"{name} is a number from {low:g} up and below {high:g}, not {value:g}")
    if name == "p_sd":
        return math.log(value / (1 - value))
    if name == "delta2":
        return from_elo(probit_to_elo(math.sqrt(value / (1 - value))))
    if name == "probit_sd":
        return from_elo(probit_to_elo(value))
    return from_elo(value) if name == "elo_sd" else value
