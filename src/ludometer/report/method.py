"""How it was done: formulas, sources, departures from them, and how to do it again."""

from __future__ import annotations

import platform
from collections.abc import Sequence
from html import escape
from importlib.metadata import version
from typing import TYPE_CHECKING

from ludometer.measurement.benchmarks.published import reference_games
from ludometer.report.parts import Game, table
from ludometer.version import __version__
from ludometer.wording import percent

if TYPE_CHECKING:
    from ludometer.measurement import Measurement

_TWO = (
    "<p>Ratings start at 0. In a match the first player is expected to score E = 1 / (1 + 10<sup>-(R₁ - "
    "R₂)/400</sup>); afterwards his rating moves by k (S - E) and his opponent's by the opposite. k is the value at "
    "which the mean of the squared misses of both players, over all matches in order of time, is least. The measure "
    "of skill is the standard deviation (SD) of the ratings of those who played at least {min_matches} match{es}.</p>"
)
_SEVERAL = (
    "<p>In a match of several, player i has the weight w<sub>i</sub> = {weight}, and the probability of a finishing "
    "order is the product, from the first place on, of w / (sum of the weights of those still in). Places are worth "
    "prizes π<sub>1</sub>, π<sub>2</sub>, …; tied places share theirs. S<sub>i</sub> is the prize won as a share of "
    "the largest, E<sub>i</sub> = Σ<sub>k</sub> π<sub>k</sub> P(i finishes k-th) / π<sub>max</sub>, and every rating "
    "moves by k (S<sub>i</sub> - E<sub>i</sub>). Of two players with prizes 1 and 0 this is the formula above. "
    "Prizes used: <b>{prizes}</b>.</p>"
)
_MATCHED = (
    "<h3>The matched yardsticks</h3>"
    "<p>How much spread is much depends on how many matches there are and who met whom. So the record is compared with "
    "benchmark games on <i>its own schedule</i>: the same players and pairings in the same order, only the results "
    "replaced.</p>"
    "<ul><li><b>x % strength</b> (x%-deterministic): with probability x the better player wins, or all finish in the "
    "order of strength; otherwise a coin, or a random order, decides.</li>"
    "<li><b>x % {reference}</b>: players whose skills θ are normal with an SD of {sd:.0f} Elo points play with "
    "P = 1 / (1 + 10<sup>-(θ₁ - θ₂)/400</sup>) and {draws} draws; each result is kept with probability x and "
    "otherwise replaced by a coin with the same share of draws{several}.</li></ul>"
    "<p>In each simulated game b = 1 … B all chance is drawn beforehand, so that its SD<sub>b</sub>(x) rises with x; "
    "SD<sub>b</sub>(x<sub>b</sub>) = SD of the record is solved for x<sub>b</sub>. The estimate is the median of the "
    "x<sub>b</sub>, the {level}% interval lies between their outer ranks, and the p-value of 50% is "
    "(1 + number of x<sub>b</sub> on the other side of 50) / (B + 1). Here B = {replicates}. Skill predominates by a "
    "yardstick if the whole interval lies above 50%, chance if below; the verdict needs both.</p>"
    "<p>The interval of the SD: players with normal skills, at both ends of the interval of the SD of skills, play the "
    "schedule twice; how far the two SDs differ is chance alone. The interval holds those means from which the "
    "record is not more than about two such standard errors away.</p>"
)
_ORDERED = "; several finish in an order by the weights of their skills, without ties, or in a random one"
_DEPARTURES = (
    "<h3>Where this departs from the paper</h3><ul>"
    "<li>The paper judges by fixed lines (an SD of 122.8 for half strength, 44.9 for half chess). But the SD of one "
    "and the same game depends on how many matches its record holds: that of 10% strength is 5 with 25 matches a "
    "player, 9 with 100 and 21 with 2,000. A fixed line therefore judges a game partly by the length of its records. "
    "Here the verdict rests on benchmarks matched to the schedule; the published lines are shown beside them.</li>"
    "<li>The paper writes the weights of several players as e<sup>R</sup> and multiplies ratings by 400 afterwards: "
    "a scale 2.3 times as wide as that of two players. Here base 10 is used for both{base}.</li>"
    "<li>Section 2 of the paper swaps x and 100 - x where it defines x%-deterministic; its tables mean x % skill, "
    "and so does this page.</li>"
    "<li>The best k is searched with more care than printed there (same result to three digits).</li>"
    "<li>Two rows of its tables (Crazy 8s with three players) give numbers of games that do not follow from the SD "
    "beside them: 10,381 instead of 12,637, and 112,075 instead of 56,868.</li></ul>"
    "<p>Source: Duersch, Lambrecht, Oechssler: Measuring skill and chance in games, European Economic Review 127 "
    "(2020).</p>"
)


def method(games: Sequence[Game], command: str) -> str:
    """The section at the end, for all games."""
    reference = table(
        ["Published game", "SD of ratings", "One SD better scores", "Games needed"],
        [[game.label, f"{game.sd:.1f}", percent(game.p_sd), f"{game.rep:,}"] for game in reference_games()],
    )
    versions = ", ".join(f"{name} {version(name)}" for name in ("numpy", "polars", "numba", "altair"))
    seed = games[0][1].provenance.seed
    measured = [game for _, game in games]
    cutoff = measured[0].main.min_matches
    return (
        f"<section><h2>How it was done</h2>{_TWO.format(min_matches=cutoff, es='es' * (cutoff > 1))}"
        f"{_several(measured)}{_matched(measured)}{_DEPARTURES.format(base=_base(measured))}"
        f"<details><summary>The published games</summary>{reference}</details>"
        f"<p>Repeat with:</p><pre>{escape(command)}</pre>"
        f"<p>ludometer {__version__}, Python {platform.python_version()}, {versions}. "
        f"{'Nothing was simulated' if seed is None else f'Seed: {seed}'}.</p></section>"
    )


def _several(games: Sequence[Measurement]) -> str:
    several = [game for game in games if not game.data.is_two_player]
    if not several:
        return ""
    game = several[0]
    weight = "e<sup>R<sub>i</sub>/400</sup>" if game.base == "e" else "10<sup>R<sub>i</sub>/400</sup>"
    return _SEVERAL.format(weight=weight, prizes=escape(game.data.prizes.name))


def _matched(games: Sequence[Measurement]) -> str:
    for game in games:
        if game.yardstick is not None:
            return _MATCHED.format(
                reference=escape(game.reference_name),
                sd=game.yardstick.reference.sd,
                draws=percent(game.yardstick.reference.draws, 0),
                level=game.yardstick.confidence,
                replicates=game.yardstick.replicates,
                several=_ORDERED if any(not one.data.is_two_player for one in games) else "",
            )
    return ""


def _base(games: Sequence[Measurement]) -> str:
    return "; this page was asked for the printed variant, base e" if any(game.base == "e" for game in games) else ""
