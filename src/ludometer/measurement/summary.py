"""A measurement in plain words, for the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ludometer.measurement.benchmarks.published import describe_place
from ludometer.measurement.verdict.wording import describe_p_values, describe_range_over_checks
from ludometer.wording import percent

if TYPE_CHECKING:
    from ludometer.measurement.measurement import Measurement, RecordCounts
    from ludometer.measurement.spread import Spread


def describe_record(data: RecordCounts) -> str:
    """How many matches of how many players: the line above the answer."""
    fewest, _, most = data.players_per_match
    parts = [f"{data.n_matches:,} matches", f"{data.n_players:,} players, {data.n_regulars:,} with 25 matches or more"]
    if most > 2:
        parts.append(f"{f'{fewest} to ' if fewest < most else ''}{most} players per match")
    if data.dropped_matches:
        parts.append(f"{data.dropped_matches:,} matches dropped: in smaller groups")
    return " · ".join(parts)


def answer_lines(game: Measurement) -> list[str]:
    """At most a screen: the verdict, how sure it is, what it compares with, skills, luck, the fit, the record."""
    main = game.main
    if main.sd is None:
        few = f"{main.n:,} {'player has' if main.n == 1 else 'players have'} {main.min_matches} matches or more"
        return [f"These data cannot tell: {few}." if game.verdict is None else game.verdict.statement]
    entries = {
        "How sure": _how_sure(game),
        "Compare": _compare(game, main.sd),
        "Skills": _skills(game, main),
        "Luck": _luck(game),
        "Fit": _fit(game),
        "Record": _record(game),
        "Budget": [] if game.budget is None else game.budget.remarks(),
    }
    lines = [] if game.edge is None else [game.edge.sentence()]
    lines += [_first_line(game), ""]
    for name, texts in entries.items():
        lines += [f"{'' if place else name:<10} {text}" for place, text in enumerate(texts)]
    return lines


def _first_line(game: Measurement) -> str:
    """The verdict on its question, or why there is none."""
    if game.verdict is not None:
        return f"Predominance: {game.verdict.statement}"
    return f"No verdict: {game.absent()['verdict']}."


def _how_sure(game: Measurement) -> list[str]:
    """What the checks say; where the verdict is refused, the reasons after the first, which the statement has."""
    if game.verdict is None:
        return []
    reasons = game.verdict.reasons[1:] if game.is_refused else game.verdict.reasons[3:]
    values = describe_p_values(game)
    # in the words of the page, which goes on to say what they are
    return [*reasons, *([] if values is None else [values.partition(": how often")[0]])]


def _compare(game: Measurement, sd: float) -> list[str]:
    lines = []
    if game.shares is not None and game.verdict is not None:
        skill, kept = game.shares
        lines.append(f"skill share {skill.in_words}: {game.verdict.reasons[0].replace(str(skill), f'{skill.x:.0f}%')}")
        rest = ", and a coin decides the rest" if np.isfinite(kept.x) else ""
        lines.append(f"{game.reference_name} share {kept.in_words}{rest}")
        lines += [text for text in (describe_range_over_checks(game),) if text]
    return [*lines, describe_place(sd)]


def _skills(game: Measurement, main: Spread) -> list[str]:
    """What being one SD better is worth, by the SD of skills; the published formula, from that of ratings, as such."""
    better = game.one_better
    interval = "" if main.sd_interval is None else f" [{main.sd_interval[0]:.1f}, {main.sd_interval[1]:.1f}]"
    ends = f"the best 1% score {percent(main.p_1_99 or 0.5)} against the worst 1%"
    if better is None or better.by == "ratings":
        return [
            f"SD of ratings {main.sd:.1f}{interval}: by the published formula a player one SD better scores "
            f"{percent(main.p_sd or 0.5)}, {ends}",
            describe_games_needed(main.rep),
        ]
    low, high = better.sd_interval or (np.nan, np.nan)
    return [
        f"SD of skills {better.sd:.0f} [{low:.0f}, {f'{high:.0f}' if np.isfinite(high) else 'more'}]: "
        f"a player one SD better scores {percent(better.p)}",
        describe_games_needed(better.rep),
        f"SD of ratings {main.sd:.1f}{interval}; published formula: {percent(main.p_sd or 0.5)}",
    ]


def describe_games_needed(rep: int | None) -> str:
    """How many games show who is one SD better.

    >>> describe_games_needed(5)
    'such a player wins a best-of-5 more than 75% of the time'
    """
    if rep is None:
        return "no number of games would show who is one SD better"
    games = "a single game" if rep == 1 else f"a best-of-{rep:,}"
    return f"such a player wins {games} more than 75% of the time"


def _luck(game: Measurement) -> list[str]:
    """L and l2 without the bias of fitted skills, then the published estimators under their names."""
    luck = game.luck
    if luck is None:
        return []
    lines, parts = [], []
    if luck.corrected is not None:
        found = luck.corrected
        lines.append(
            f"{_percent_of(found.luck, found.luck_interval)} of the information in a result (L), "
            f"{_percent_of(found.l2, found.l2_interval)} of the variance in performance (ℓ²); 100% is all luck"
        )
    if luck.population is not None:
        bayes = luck.population
        parts.append(f"ℓ² {_percent_of(bayes.l2, bayes.l2_interval)} of a population with a prior")
        if not bayes.converged:
            parts[-1] += f", {bayes.describe_method()}"
    if luck.ridge is not None:
        parts.append(f"L {percent(luck.ridge.luck)} and ℓ² {percent(luck.ridge.l2)} by penalised skills")
    # the page has the published estimators too
    return lines or ([f"as published, with their bias: {' · '.join(parts)}"] if parts else [])


def _percent_of(value: float, ends: tuple[float, float]) -> str:
    return f"{percent(value)} [{100 * ends[0]:.1f}, {100 * ends[1]:.1f}]"


def _fit(game: Measurement) -> list[str]:
    fit, rival = game.best_fit, "a coin" if game.data.is_two_player else "all equal"
    beyond = "" if fit.converged else "; the best k lies beyond the search"
    return [f"k {fit.k:.4g}, loss {fit.loss:.4f} ({rival} {fit.loss_at_zero:.4f}){beyond}"]


def _record(game: Measurement) -> list[str]:
    past = game.persistence
    parts = [] if game.verdict is None or game.is_refused else [game.verdict.reasons[2]]
    parts.append(f"opponents differ by {game.matchmaking.mean_rating_difference:.0f} points on average")
    if past.slope is not None and past.std_error is not None:
        parts.append(f"persistence {past.slope:.3f} (SE {past.std_error:.3f}; pure chance 0)")
    return [" · ".join(parts)]
