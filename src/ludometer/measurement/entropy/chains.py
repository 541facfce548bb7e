"""Older measures of luck: Mauboussin's ratio of variances, the skill chain of Elias et al., and repetitions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ludometer.arrays import Floats
from ludometer.errors import LudometerError, MatchDataError
from ludometer.matches import Matches
from ludometer.strength.skills import Skills, cdf, quantile
from ludometer.wording import percent

_UNEQUAL = 0.2
"""Of the SD of players' numbers of matches over their mean: above it one n a team does not stand for all."""

_MOST = 1e9


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
    """V0 / V, V being the sample variance of players' scores a match and V0 = (1 - draw rate) / (4 n) that of a coin.

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
    one_sd, ends = (count_repetitions(float(p), confidence) for p in win / (win + loss))
    return Repetitions(confidence, one_sd, ends)


def count_repetitions(p: float, confidence: float) -> int | None:
    """The smallest odd n at which who wins a game with probability p wins most of n with more than the confidence.

    >>> count_repetitions(0.533, 0.75), count_repetitions(0.6, 0.99)
    (105, 133)
    """
    from scipy.special import betainc

    if not p > 0.5:
        return None
    low, high = 0, 1
    while betainc(high, high, p) <= confidence:
        low, high = high, 2 * high
        if high > _MOST:
            return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if betainc(middle, middle, p) > confidence else (middle, high)
    return 2 * high - 1


def _greedy(rising: Floats, gap: float) -> list[int]:
    """The first, then always the first that is at least a gap above the last."""
    chain = [0]
    while True:
        following = int(np.searchsorted(rising, rising[chain[-1]] + gap * (1 - 1e-12)))
        if following >= len(rising):
            return chain
        chain.append(following)
