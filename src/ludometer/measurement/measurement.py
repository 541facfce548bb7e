"""Measure a game: from its matches to the spread of skill, with everything that a report needs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from ludometer.arrays import Counts, Floats
from ludometer.errors import LudometerError, MatchDataError
from ludometer.matches import Matches, Pairs
from ludometer.measurement.benchmarks.analysis import Analysis, Settings, analyse
from ludometer.measurement.benchmarks.reference import published_x
from ludometer.measurement.benchmarks.yardstick import Interval, Reference, Yardstick
from ludometer.measurement.luck import LuckChoices, LuckMetrics, measure_luck
from ludometer.measurement.record.pairing import Pairing
from ludometer.measurement.spread.matchmaking import mean_rating_difference, ratio_if_random
from ludometer.measurement.spread.persistence import Persistence, measure_persistence
from ludometer.measurement.spread.spread import Spread, measure_spread, sweep_cutoffs
from ludometer.measurement.verdict.sentences import absences, answer_lines
from ludometer.measurement.verdict.verdict import Verdict
from ludometer.parallel import Workers
from ludometer.players import Players
from ludometer.ratings.evaluation import Evaluation, SystemScore, evaluate
from ludometer.ratings.prizes import WINNER, Prizes
from ludometer.ratings.systems.best_fit import BestFitElo, Procedure, fit_best_elo
from ludometer.ratings.systems.elo import Elo, unusual
from ludometer.result import Provenance
from ludometer.scale import Base, points_per_unit
from ludometer.selection import keep_connected

if TYPE_CHECKING:
    import altair
    import polars as pl

REGULAR = 25
"""Matches that make a regular (Duersch et al. 2020, section 3)."""

_FEWEST_SHOWN = 10


@dataclass(frozen=True)
class Measurement:
    """How much skill a game shows, as played by these players."""

    n_matches: int
    n_players: int
    n_regulars: int
    dropped_matches: int
    dropped_players: int
    draw_rate: float
    players_per_match: tuple[int, float, int]
    """Fewest, mean, most."""
    best_fit: BestFitElo
    k_interval: Interval | None
    spread: tuple[Spread, ...]
    cutoffs: Counts
    n_by_cutoff: Counts
    sd_by_cutoff: Floats
    mean_rating_difference: float
    ratio_if_random: float | None
    """None where it was not asked for, or cannot be told."""
    persistence: Persistence
    forecasts: SystemScore
    coin: SystemScore
    """What forecasts are worth that take all players of a match for equals."""
    yardstick: Yardstick | None
    """None where it was not asked for, or there is nothing to compare."""
    pairing: Pairing | None
    verdict: Verdict | None
    """None where it was not asked for."""
    luck: LuckMetrics | None
    """None where it was not asked for."""
    reference: Reference
    prizes: Prizes
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
        return absences(self)

    def to_frame(self) -> pl.DataFrame:
        """The spread for each cutoff."""
        import polars as pl

        return pl.DataFrame(
            [
                {name: value for name, value in vars(spread).items() if name != "sd_interval"}
                | {
                    "sd_low": (spread.sd_interval or (None, None))[0],
                    "sd_high": (spread.sd_interval or (None, None))[1],
                }
                for spread in self.spread
            ],
            infer_schema_length=None,
        )

    def summary(self) -> str:
        """The answer in a few lines."""
        return "\n".join(self.lines())

    def lines(self) -> list[str]:
        """The answer, what it means, where it stands, the verdict."""
        return answer_lines(self)

    def plot(self) -> altair.Chart:
        """The SD over the number of matches that a player must have."""
        import altair as alt

        rows = [
            {"cutoff": int(cutoff), "sd": float(sd), "players": int(n)}
            for cutoff, sd, n in zip(self.cutoffs, self.sd_by_cutoff, self.n_by_cutoff, strict=True)
            # of the last few players the SD is noise
            if np.isfinite(sd) and n >= min(_FEWEST_SHOWN, self.main.n)
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
    prizes: Prizes = WINNER,
    base: Base = "10",
    share: float = 1.0,
    reference: Reference | None = None,
    luck: LuckChoices | None = None,
    quick: bool = False,
    replicates: int | None = None,
    seed: int = 0,
    workers: Workers | None = None,
    on_progress: Callable[[int, int], None] | None = None,
) -> Measurement:
    """Measure a game by the spread of its best-fit Elo ratings (Duersch, Lambrecht, Oechssler 2020).

    Players outside the largest connected component are left out, or those in components smaller than `min_component`.
    Matches of several are played for `prizes`; base e gives their ratings on the printed, wider scale. The verdict
    rests on benchmarks simulated on the same schedule, `replicates` of them; `quick` leaves out all that has to be
    simulated. `on_progress` is told how many of how many simulations are done. A `share` below 1 bounds expectations
    as if only that share of the matches were played and the rest coins (footnote 34); nothing is simulated then. `luck`
    says how L and l2 are measured (Gilbert and Wells).

    >>> from ludometer.simulate import simulate_coin, simulate_strengths
    >>> skill, chance = measure(simulate_strengths(200, 20_000, sd=400)), measure(simulate_coin(200, 20_000))
    >>> skill.main.sd > 300, skill.verdict.answer, chance.main.sd < 10, chance.verdict.answer
    (True, 'skill', True, 'chance')
    """
    if not cutoffs or any(cutoff < 1 for cutoff in cutoffs):
        raise LudometerError("cutoffs are numbers of matches, 1 or more")
    if replicates is not None and replicates < 19:
        raise LudometerError(f"at least 19 replicates are needed for an interval, not {replicates}")
    kept = keep_connected(matches, min_players=min_component)
    inside, reference = kept.matches, reference or Reference()
    _refuse_anonymous(inside)
    quick = quick or share != 1
    best = fit_best_elo(inside, procedure=procedure, prizes=prizes, base=base, share=share)
    played = inside.counts
    swept = sweep_cutoffs(best.rating, played)
    spread = tuple(
        measure_spread(best.rating, played, min_matches=cutoff, share=share) for cutoff in dict.fromkeys(cutoffs)
    )
    main, wider = _main(spread), points_per_unit(base) / points_per_unit("10")
    parameters = _parameters(cutoffs, min_component, procedure, reference) | unusual(prizes, base, share)
    parameters |= (luck or LuckChoices()).parameters()
    found = Analysis()
    random = None
    if not quick:
        settings = Settings(prizes, reference, replicates, seed, workers, on_progress, parameters)
        whole = matches if kept.dropped_matches else None
        found = analyse(inside, best, spread, main, wider=wider, whole=whole, settings=settings)
        if main.sd:
            random = ratio_if_random(inside, sd=main.sd / wider, min_matches=main.min_matches, prizes=prizes, seed=seed)
    sizes = inside.sizes
    judged = _judge_forecasts(inside, Elo(best.k, 0.0, prizes, base, share))
    return Measurement(
        n_matches=len(inside),
        n_players=len(inside.players),
        n_regulars=int((played >= REGULAR).sum()),
        dropped_matches=kept.dropped_matches,
        dropped_players=kept.dropped_players,
        draw_rate=inside.draw_rate or 0.0,
        players_per_match=(int(sizes.min()), float(sizes.mean()), int(sizes.max())),
        best_fit=best,
        k_interval=found.k_interval,
        spread=tuple(
            replace(entry, sd_interval=interval)
            for entry, interval in zip(spread, found.sd_intervals or (None,) * len(spread), strict=True)
        ),
        cutoffs=swept[0],
        n_by_cutoff=swept[1],
        sd_by_cutoff=swept[2],
        mean_rating_difference=wider * mean_rating_difference(inside, k=best.k / wider, prizes=prizes, share=share),
        ratio_if_random=random,
        persistence=measure_persistence(inside, min_matches=REGULAR, prizes=prizes),
        forecasts=judged.systems[0],
        coin=judged.coin,
        yardstick=found.yardstick,
        pairing=found.pairing,
        verdict=found.verdict,
        luck=None if quick else measure_luck(inside, choices=luck, seed=seed, workers=workers),
        reference=found.reference or reference,
        prizes=prizes,
        players=inside.players,
        played=played,
        provenance=Provenance("measure", parameters, matches.fingerprint, None if quick else seed),
    )


def _judge_forecasts(matches: Matches, elo: Elo) -> Evaluation:
    """What its forecasts were worth; of two in parts, so that long records need little memory."""
    parts = matches.parts() if isinstance(matches.table, Pairs) else matches
    return evaluate(parts, systems=[elo])


def _main(spread: tuple[Spread, ...]) -> Spread:
    return next((entry for entry in spread if entry.min_matches == REGULAR), spread[0])


def _refuse_anonymous(matches: Matches) -> None:
    """Without players who come back nothing can be measured (Duersch et al. 2020, footnote 35)."""
    most = int(matches.counts.max())
    if most <= 2:
        raise MatchDataError(
            f"no player has more than {most} {'match' if most == 1 else 'matches'}: skill shows only in players "
            "who come back. If the ids are anonymous or new for each match, they have to be replaced by lasting ones"
        )


def _parameters(
    cutoffs: Sequence[int], min_component: int | None, procedure: str, reference: Reference
) -> dict[str, object]:
    return {
        "cutoffs": list(cutoffs),
        "min_component": min_component,
        "procedure": procedure,
        "reference": reference.name,
    }
