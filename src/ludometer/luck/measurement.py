"""Measure a game: from its matches to the spread of skill, with everything that a report needs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ludometer.arrays import Counts, Floats
from ludometer.components import keep_connected
from ludometer.errors import LudometerError, MatchDataError
from ludometer.luck.matchmaking import mean_rating_difference, ratio_if_random
from ludometer.luck.persistence import Persistence, measure_persistence
from ludometer.luck.reference import neighbours, published_x
from ludometer.luck.spread import Spread, measure_spread, sweep_cutoffs
from ludometer.matches import Matches
from ludometer.players import Players
from ludometer.ratings.best_fit import BestFitElo, Procedure, fit_best_elo
from ludometer.ratings.elo import Elo
from ludometer.ratings.evaluation import SystemScore, evaluate
from ludometer.result import Provenance

if TYPE_CHECKING:
    import altair
    import polars as pl

REGULAR = 25
"""Matches that make a regular (Duersch et al. 2020, section 3)."""


@dataclass(frozen=True)
class Measurement:
    """How much skill a game shows, as played by these players."""

    n_matches: int
    n_players: int
    n_regulars: int
    dropped_matches: int
    dropped_players: int
    draw_rate: float
    best_fit: BestFitElo
    spread: tuple[Spread, ...]
    cutoffs: Counts
    n_by_cutoff: Counts
    sd_by_cutoff: Floats
    mean_rating_difference: float
    ratio_if_random: float | None
    """None where it was not asked for, or cannot be told."""
    persistence: Persistence
    forecasts: SystemScore
    players: Players
    played: Counts
    provenance: Provenance

    @property
    def main(self) -> Spread:
        """The spread of the regulars, or of the first cutoff that was asked for."""
        return _main(self.spread)

    @property
    def ratio_to_sd(self) -> float | None:
        """Mean difference of those who met, in SDs of the regulars."""
        return self.mean_rating_difference / self.main.sd if self.main.sd else None

    @property
    def published(self) -> tuple[float | None, float | None]:
        """x of the equivalent x%-deterministic and x%-chess, off the published lines."""
        return (None, None) if self.main.sd is None else published_x(self.main.sd)

    def absent(self) -> dict[str, str]:
        """What is null in the result, and why."""
        reasons: dict[str, str] = {}
        for place, spread in enumerate(self.spread):
            few = f"fewer than two players have {spread.min_matches} matches"
            even = "one SD better is hardly better than even: no number is enough"
            reasons |= _nulls(f"spread.{place}", spread, few if spread.sd is None else even)
        few, exact = "too few regulars, or results that do not vary", "past averages tell all results exactly"
        reasons |= _nulls("persistence", self.persistence, few if self.persistence.slope is None else exact)
        if self.ratio_to_sd is None:
            reasons["matchmaking.ratio_to_sd"] = "there is no SD to compare with"
        if self.ratio_if_random is None:
            reasons["matchmaking.ratio_if_random"] = (
                "left out by --quick"
                if self.provenance.seed is None
                else "there is no SD to compare with, in the record or in games simulated like it"
            )
        for name, value in zip(("x_deterministic", "x_chess"), self.published, strict=True):
            if value is None:
                reasons[f"yardstick.published.{name}"] = (
                    "there is no SD" if self.main.sd is None else "the SD is above the published line"
                )
        return reasons

    def to_frame(self) -> pl.DataFrame:
        """The spread for each cutoff."""
        import polars as pl

        return pl.DataFrame([vars(spread) for spread in self.spread])

    def summary(self) -> str:
        """The answer in a few lines."""
        return "\n".join(self.lines())

    def lines(self) -> list[str]:
        """The answer, what it means, where it stands."""
        main, fit = self.main, self.best_fit
        if main.sd is None or main.p_sd is None or main.p_1_99 is None:
            return [f"Skill      cannot be told: {main.n:,} players have {main.min_matches} matches or more"]
        lines = [
            f"Skill      SD of ratings {main.sd:.1f}     a player one SD better scores {main.p_sd:.1%}     "
            f"the best 1 % score {main.p_1_99:.1%} against the worst 1 %",
            f"           {_repeats(main)}",
            f"Stands     {describe_place(main.sd)}",
            f"Fit        k {fit.k:.4g}, loss {fit.loss:.4f} (a coin: {fit.loss_at_zero:.4f})     "
            f"players who met were {self.mean_rating_difference:.0f} points apart"
            + ("" if fit.converged else "     the best k lies beyond the search"),
        ]
        past = self.persistence
        if past.slope is not None and past.std_error is not None:
            lines.append(
                f"Persists   {past.slope:.3f} of a past lead goes on (standard error {past.std_error:.3f}; chance: 0)"
            )
        return lines

    def plot(self) -> altair.Chart:
        """The SD over the number of matches that a player must have."""
        import altair as alt

        rows = [
            {"cutoff": int(cutoff), "sd": float(sd), "players": int(n)}
            for cutoff, sd, n in zip(self.cutoffs, self.sd_by_cutoff, self.n_by_cutoff, strict=True)
            if np.isfinite(sd)
        ]
        chart: alt.Chart = (
            alt.Chart(alt.InlineData(values=rows), width=420, height=220)
            .mark_line(color="#4c6a92")
            .encode(
                x=alt.X("cutoff:Q", title="Players with at least so many matches"),
                y=alt.Y("sd:Q", title="SD of ratings (Elo points)"),
                tooltip=["cutoff:Q", "sd:Q", "players:Q"],
            )
        )
        return chart


def measure(
    matches: Matches,
    *,
    cutoffs: Sequence[int] = (REGULAR, 1, 100),
    min_component: int | None = None,
    procedure: Procedure = "lanes",
    quick: bool = False,
    seed: int = 0,
) -> Measurement:
    """Measure a two-player game by the spread of its best-fit Elo ratings (Duersch, Lambrecht, Oechssler 2020).

    Players outside the largest connected component are left out, or those in components smaller than `min_component`.
    `quick` leaves out what has to be simulated.

    >>> from ludometer.games import simulate_coin, simulate_strengths
    >>> skill, chance = measure(simulate_strengths(200, 20_000, sd=200)), measure(simulate_coin(200, 20_000))
    >>> skill.main.sd > 150, chance.main.sd < 10
    (True, True)
    """
    if not cutoffs or any(cutoff < 1 for cutoff in cutoffs):
        raise LudometerError("cutoffs are numbers of matches, 1 or more")
    kept = keep_connected(matches, min_players=min_component)
    inside = kept.matches
    _refuse_anonymous(inside)
    best = fit_best_elo(inside, procedure=procedure)
    played = inside.counts
    swept = sweep_cutoffs(best.rating, played)
    spread = tuple(measure_spread(best.rating, played, min_matches=cutoff) for cutoff in dict.fromkeys(cutoffs))
    main = _main(spread)
    random = None
    if main.sd and not quick:
        random = ratio_if_random(inside, sd=main.sd, min_matches=main.min_matches, seed=seed)
    return Measurement(
        n_matches=len(inside),
        n_players=len(inside.players),
        n_regulars=int((played >= REGULAR).sum()),
        dropped_matches=kept.dropped_matches,
        dropped_players=kept.dropped_players,
        draw_rate=inside.draw_rate or 0.0,
        best_fit=best,
        spread=spread,
        cutoffs=swept[0],
        n_by_cutoff=swept[1],
        sd_by_cutoff=swept[2],
        mean_rating_difference=mean_rating_difference(inside, k=best.k),
        ratio_if_random=random,
        persistence=measure_persistence(inside, min_matches=REGULAR),
        forecasts=evaluate(inside.parts(), systems=[Elo(best.k, 0.0)]).systems[0],
        players=inside.players,
        played=played,
        provenance=Provenance(
            "measure", _parameters(cutoffs, min_component, procedure), matches.fingerprint, None if quick else seed
        ),
    )


def describe_place(sd: float) -> str:
    """Where an SD stands among the published games, in words.

    >>> describe_place(200.0)
    'between Tennis (218.8) and Chess (171.7) on the published scale'
    """
    above, below = neighbours(sd)
    if above and below:
        return f"between {above.game} ({above.sd:g}) and {below.game} ({below.sd:g}) on the published scale"
    if below:
        return f"above all published games (the highest is {below.game}, {below.sd:g})"
    return f"below all published games (the lowest is {above.game}, {above.sd:g})" if above else "nowhere"


def _main(spread: tuple[Spread, ...]) -> Spread:
    return next((entry for entry in spread if entry.min_matches == REGULAR), spread[0])


def _repeats(spread: Spread) -> str:
    if spread.rep is None:
        return "no number of games would tell a player one SD better from his opponent"
    games = "1 game is" if spread.rep == 1 else f"{spread.rep:,} games are"
    return f"{games} needed for him to win most of them with more than 75 % probability"


def _refuse_anonymous(matches: Matches) -> None:
    """Without players who come back nothing can be measured (Duersch et al. 2020, footnote 35)."""
    most = int(matches.counts.max())
    if most <= 2:
        raise MatchDataError(
            f"no player has more than {most} {'match' if most == 1 else 'matches'}: skill shows only in players "
            "who come back. If the ids are anonymous or new for each match, they have to be replaced by lasting ones"
        )


def _nulls(place: str, values: Spread | Persistence, reason: str) -> dict[str, str]:
    return {f"{place}.{name}": reason for name, value in vars(values).items() if value is None}


def _parameters(cutoffs: Sequence[int], min_component: int | None, procedure: str) -> dict[str, object]:
    return {"cutoffs": list(cutoffs), "min_component": min_component, "procedure": procedure}
