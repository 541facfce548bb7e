"""How sure the answer is: reasons, matchmaking, what the intervals mean, and what hangs on which choice."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING

from ludometer.measurement.benchmarks.yardstick import confidence, replicates_for
from ludometer.measurement.charts import MULTIVERSE
from ludometer.report.parts import (
    NOTHING,
    between,
    bullets,
    count,
    download,
    figure_of,
    number,
    paragraphs,
    percent,
    sentence,
    table,
    with_interval,
)

if TYPE_CHECKING:
    import polars as pl

    from ludometer.measurement import Measurement
    from ludometer.measurement.verdict.checks import Check


def how_sure(game: Measurement) -> str:
    """The section: from the reasons of the verdict to the SD over every cutoff."""
    body = (
        _UNSIMULATED
        if game.verdict is None
        else _reasons(game) + _matchmaking(game) + _intervals(game) + _multiverse(game) + _parts(game) + _units(game)
    )
    return f"<section><h2>How sure are we?</h2>{body}{_who_counts(game)}</section>"


_UNSIMULATED = paragraphs(
    "Nothing was simulated (--quick): there are no intervals, no benchmarks on the schedule of this record, no checks, "
    "and so no verdict. The published lines depend on how many matches a record holds and cannot replace them. Without "
    "--quick all of this is added."
)


def _reasons(game: Measurement) -> str:
    assert game.verdict is not None
    # the first two are the shares, which stand in the answer
    told = game.verdict.reasons if game.is_refused else game.verdict.reasons[2:]
    reasons = bullets([sentence(reason) for reason in told])
    if not game.is_refused:
        return reasons
    matched = game.yardstick
    read = (
        ""
        if matched is None
        else f" For the record: the yardsticks read {matched.deterministic.share} strength and "
        f"{matched.chess.share} {game.reference_name}, which is not to be relied on here."
    )
    return reasons + paragraphs(
        "The verdict is refused for the reasons above: no yardstick can be trusted here." + read
    )


def _matchmaking(game: Measurement) -> str:
    pairing = game.matchmaking.pairing
    if pairing is None:
        return ""
    if not pairing.detected:
        text = (
            "Where players choose opponents of their own strength, matches tell little and ratings spread too little. "
            "This schedule shows no sign of that: who met whom is as at random, and nothing had to be corrected."
        )
    elif not pairing.is_sound:
        text = (
            f"Players met almost only their like: the strengths of opponents correlate with {pairing.correlation:.2f} "
            "(0: at random; 1: only equals meet). Matches between equals tell little, so ratings hardly spread, "
            "whatever the skill. On simulated schedules as close as this benchmarks are not recovered, even when "
            "corrected."
        )
    elif pairing.corrected:
        text = (
            f"Players did not meet at random: the strengths of opponents correlate with {pairing.correlation:.2f} "
            "(0: at random; 1: only equals meet). Matches between equals tell little, and ratings spread less than "
            "skills do. The players of the simulated benchmarks were therefore given strengths that follow the "
            "schedule as those of the real players do, so that they are held back alike. This corrects most of it, "
            "not all: the closer the pairing, the more the shares may understate skill."
        )
    else:
        text = (
            "Players did not meet at random: there are groups who met more often, as in leagues and divisions. But "
            f"strength does not follow these groups, as far as the results show (p = {pairing.p_value:.2g} of the "
            "test that it does not), so nothing had to be corrected."
        )
    return "<h3>Who met whom</h3>" + paragraphs(text)


def _intervals(game: Measurement) -> str:
    matched = game.yardstick
    if matched is None:
        return ""
    level, fewer = matched.confidence, replicates_for(game.data.n_matches)[1]
    words = [
        "SD of ratings (95%): what the same players would show on average, were they to play the same schedule "
        "again and again. It says nothing of other players.",
        f"Shares of strength and of {game.reference_name} ({level}%): the values in the simulated family of games "
        f"whose spread on this schedule agrees with the record at that level; from {matched.replicates} simulated "
        "games each, by inversion. A game outside the family has no true value there.",
        "In 2,000 simulated games these intervals held the truth in 95 to 96%. The worst case that was found is mild "
        "matchmaking: where opponents were the closer of two candidates, the interval of the share of strength held it "
        "in 83%, being 2 points too low on average.",
    ]
    verdict = game.verdict
    if verdict is not None and verdict.p_deterministic is not None and verdict.p_chess is not None:
        words.append(
            "p-values: how often a game of exactly 50% on this schedule spreads at least as far from 50% as the "
            f"record: {verdict.p_deterministic:.3f} beside strength, {verdict.p_chess:.3f} beside "
            f"{game.reference_name} (the smallest that {matched.replicates} simulations can show is "
            f"{1 / (matched.replicates + 1):.3f}). They are p-values: not the probability that skill, or chance, "
            "predominates."
        )
    if verdict is not None and verdict.checks:
        words.append(
            f"In the tables of checks below, shares have intervals of {confidence(fewer)}% only, from {fewer} "
            "simulated games each."
        )
    return "<h3>What the intervals mean</h3>" + bullets(words)


def _multiverse(game: Measurement) -> str:
    assert game.verdict is not None
    checks = _of_kind(game, *MULTIVERSE)
    primary = (
        "<p>One analysis is primary and was declared before any check was run: "
        f"{escape(_choices(game))} (fingerprint <code>{escape(game.verdict.primary)}</code>: the first 16 digits of "
        "the SHA-256 of these choices as the JSON result has them). The answer above is its answer"
    )
    if not checks:
        return f"<h3>The primary analysis</h3>{primary}; nothing else was tried.</p>"
    told = [check for check in checks if check.answer is not None]
    rows = [_primary_row(game, "primary analysis", "primary"), *(_check_row(game, check) for check in told)]
    headers = [*_headers(game, "What was changed"), "Same?"]
    agree = sum(bool(check.agrees) for check in told)
    caption = (
        "Share of strength in each check; the coloured one is primary. "
        + f"{agree} of {len(told)} {'check' if len(told) == 1 else 'checks'} in this table "
        + f"{'gives' if agree == 1 else 'give'} the same answer."
    )
    return (
        f"<h3>What if another choice had been made?</h3>{primary}; each check changes one thing.</p>"
        + figure_of(game, "checks", caption)
        + table(headers, rows, words=(6, 7), first_stands_out=True)
        + _too_few(checks)
        + download(_check_frame(game), "checks.csv", "All checks")
    )


def _parts(game: Measurement) -> str:
    checks = _of_kind(game, "experience", "period")
    if not checks:
        return ""
    told = [check for check in checks if check.answer is not None]
    rows = [_primary_row(game, "all matches", "primary"), *(_check_row(game, check) for check in told)]
    for row in rows:
        row[0] = row[0].removeprefix("the less experienced has ")
    return (
        "<h3>By experience and by period</h3>"
        + paragraphs(
            "Skill has to be learnt, and games, fields and rules change. Each row is this game as played by these "
            "players at that time, measured as if nothing else were known; parts hold fewer matches, so their "
            "intervals are wider. Earlier matches are those of the least experienced player of a match. Where a "
            "column tells of stakes or levels, --by shows them side by side."
        )
        + table([*_headers(game, "Part of the record"), "Same?"], rows, words=(6, 7), first_stands_out=True)
        + _too_few(checks)
    )


def _too_few(checks: Sequence[Check]) -> str:
    """What cannot be told of, in one sentence instead of rows of dashes."""
    names = [check.name.removeprefix("the less experienced has ") for check in checks if check.answer is None]
    return paragraphs(f"Too few players count for an answer: {'; '.join(names)}.") if names else ""


def _choices(game: Measurement) -> str:
    """What was chosen, in words."""
    parts = []
    for name, value in sorted(game.provenance.parameters.items()):
        if value is not None:
            told = ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
            parts.append(f"{name.replace('_', ' ')} {told}")
    return "; ".join(parts)


def _units(game: Measurement) -> str:
    checks = _of_kind(game, "unit")
    if not checks:
        return ""
    words = [(check.name.removesuffix(" (model)"), check) for check in checks]
    rows = [
        _primary_row(game, "1 game, as recorded")[:-1],
        *([name, *_check_row(game, check)[1:-1]] for name, check in words),
    ]
    matched = game.yardstick
    skill = "" if matched is None or matched.skill is None else f" of {matched.skill.estimate:.0f} Elo points"
    return (
        "<h3>How many games make one unit?</h3>"
        + paragraphs(
            "Skill accumulates: over a series the better player wins more often than in one game. Courts ask about "
            "different units: a hand, a game, an evening. The answer above is for one match as recorded.",
            "The other rows are a model, not a record: players whose skills have the matched SD"
            f"{skill} meet on the same schedule, and who wins most of so many games wins the unit.",
        )
        + figure_of(game, "units", "The more games make one unit, the larger the share of strength (model).")
        + table(_headers(game, "Unit"), rows, words=(6,), first_stands_out=True)
    )


def _who_counts(game: Measurement) -> str:
    headers = ["Players with at least", "Players", "SD of ratings", "95% interval", "Lowest", "1% quantile"]
    headers += ["99% quantile", "Highest", "One SD better scores", "Games needed"]
    rows = [
        [
            f"{spread.min_matches} match{'es' * (spread.min_matches > 1)}",
            f"{spread.n:,}",
            number(spread.sd),
            between(spread.sd_interval) or NOTHING,
            *(number(value) for value in (spread.min, spread.q01, spread.q99, spread.max)),
            percent(spread.p_sd),
            count(spread.rep),
        ]
        for spread in game.spread
    ]
    if all(spread.sd_interval is None for spread in game.spread):
        headers, *rows = ([*row[:3], *row[4:]] for row in (headers, *rows))
    caption = (
        "The SD for every number of matches that a player must have to be counted. Players with few matches are still "
        "near their start value, so the SD often rises at first; the dot is the cutoff used above."
    )
    return (
        "<h3>Does it depend on who counts?</h3>"
        + (figure_of(game, "cutoffs", caption) if game.main.sd is not None else "")
        + table(headers, rows)
    )


def _of_kind(game: Measurement, *kinds: str) -> list[Check]:
    return [] if game.verdict is None else [check for check in game.verdict.checks if check.kind in kinds]


def _headers(game: Measurement, first: str) -> list[str]:
    return [first, "Matches", "Players", "SD", "Share of strength", f"Share of {game.reference_name}", "Answer"]


def _primary_row(game: Measurement, name: str, same: str = "") -> list[str]:
    found = game.shares
    return [
        name,
        f"{game.data.n_matches:,}",
        f"{game.main.n:,}",
        with_interval(game.main.sd, None),
        *((str(share) for share in found) if found else (NOTHING, NOTHING)),
        NOTHING if game.verdict is None else game.verdict.answer,
        same,
    ]


def _check_row(game: Measurement, check: Check) -> list[str]:
    return [
        check.name,
        f"{check.matches:,}",
        f"{check.counted:,}",
        number(_sd(game, check)),
        *((str(share) for share in check.shares) if check.shares else (NOTHING, NOTHING)),
        "too few players" if check.answer is None else check.answer,
        NOTHING if check.agrees is None else "yes" if check.agrees else "no",
    ]


def _sd(game: Measurement, check: Check) -> float | None:
    """On the scale of the measurement: checks are on Elo's."""
    return None if check.sd is None else check.sd * game.scale_factor


def _check_frame(game: Measurement) -> pl.DataFrame:
    import polars as pl

    columns = {
        "kind": pl.String,
        "name": pl.String,
        "matches": pl.Int64,
        "counted": pl.Int64,
        "sd": pl.Float64,
        "x_deterministic": pl.Float64,
        "x_deterministic_low": pl.Float64,
        "x_deterministic_high": pl.Float64,
        "x_chess": pl.Float64,
        "x_chess_low": pl.Float64,
        "x_chess_high": pl.Float64,
        "answer": pl.String,
        "agrees": pl.Boolean,
    }
    assert game.verdict is not None
    rows = [
        (
            check.kind,
            check.name,
            check.matches,
            check.counted,
            _sd(game, check),
            check.x_deterministic,
            *(check.x_deterministic_interval or (None, None)),
            check.x_chess,
            *(check.x_chess_interval or (None, None)),
            check.answer,
            check.agrees,
        )
        for check in game.verdict.checks
    ]
    return pl.DataFrame(rows, schema=columns, orient="row")
