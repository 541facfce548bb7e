"""What results say in German and English: tables as rows of text, for the terminal and the page, and sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from typing import TYPE_CHECKING, Any

from ludometer.skat.language import Language, localise, phrase, reason_in
from ludometer.wording import format_table, time_text

if TYPE_CHECKING:
    import polars as pl

    from ludometer.skat.luck.factors import ChanceEffect
    from ludometer.skat.luck.winning import Calibration
    from ludometer.skat.ratings import SkatRatings
    from ludometer.skat.sensitivity import Placement, Sensitivity

Table = tuple[list[str], list[list[str]]]
"""Headings and rows."""

_DIGITS = {"average_list": 1, "average_game": 2, "total": 0, "best": 0, "against": 1, "won": 0, "lost": 0}


def sheet_table(sheet: pl.DataFrame, language: Language, *, has_totals: bool) -> Table:
    """One list: place, player, points, won, lost, score."""
    names = ["place", "player", *(["games"] if sheet["games"].min() else [])]
    names += ["points", "won", "lost", "others_lost"] if has_totals else []
    names.append("score")
    rows = [[_number(value, 0, language) for value in row] for row in sheet.select(names).iter_rows()]
    return [phrase(name, language) for name in names], rows


def rating_table(players: pl.DataFrame, language: Language) -> Table:
    """The rating list with its uncertainty."""
    titled = "title" in players.columns
    names = ["place", "player", "rating", "±", "provisional", "n_series", "average", "last"]
    headers = [phrase(name, language) for name in names] + ([phrase("title", language)] if titled else [])
    rows = [
        [
            f"{place}",
            row["player"],
            localise(f"{row['rating']:.1f}", language),
            f"{row['sd']:.0f}",
            phrase("provisional", language) if row["provisional"] else "",
            localise(f"{row['series']:,}", language),
            localise(f"{row['average']:.1f}", language),
            _moment(row["last"], language),
            *([row["title"] or ""] if titled else []),
        ]
        for place, row in enumerate(players.iter_rows(named=True), 1)
    ]
    return headers, rows


def plain_table(frame: pl.DataFrame, language: Language, *, names: Mapping[str, str] | None = None) -> Table:
    """Any table: numbers in digits, truths as yes or no."""
    words = names or {}
    headers = [phrase(words.get(name, name), language) for name in frame.columns]
    rows = []
    for row in frame.iter_rows(named=True):
        cells = []
        for name, value in row.items():
            if isinstance(value, bool):
                cells.append(phrase("yes" if value else "no", language))
            else:
                cells.append(_number(value, _DIGITS.get(name, 1), language))
        rows.append(cells)
    return headers, rows


SEASON_NAMES = {"series": "n_series"}
TEAM_NAMES = {"points": "team_points"}
"""Headings that mean something else elsewhere."""


def spread_table(found: Sensitivity, language: Language) -> Table:
    """Ratings by chance factors and K, in the form of Table VIII."""
    frame = found.to_frame()
    headers = [
        phrase("top", language, n=name.removeprefix("top_")) if name.startswith("top_") else phrase(name, language)
        for name in frame.columns
    ]
    rows = [
        [
            localise(f"{value:g}" if name == "k" or isinstance(value, int) else f"{value:,.1f}", language)
            for name, value in row.items()
        ]
        for row in frame.iter_rows(named=True)
    ]
    return headers, rows


def describe_ratings(found: SkatRatings, language: Language, *, top: int, explain: str | None) -> str:
    """The rating list, and the tables that were asked for."""
    players = found.players
    lines = [show(rating_table(players.head(top), language))]
    if len(players) > top:
        lines.append(phrase("and more of", language, n=f"{len(players) - top:,}", all=len(players)))
    if found.rules.are_special and found.season is not None:
        rows = plain_table(found.season.head(top), language, names=SEASON_NAMES)
        lines += ["", phrase("Season", language), show(rows)]
    if found.teams is not None:
        lines += ["", phrase("Teams", language), show(plain_table(found.teams, language, names=TEAM_NAMES))]
    if found.source.chance is not None:
        lines += ["", describe_chance(found.source.chance, language)]
    if found.sensitivity is not None:
        lines += ["", show(spread_table(found.sensitivity, language), left=())]
    if explain:
        lines += ["", *explain_updates(found.ratings.updates, explain, language)]
    return "\n".join(lines)


def describe_sensitivity(found: Sensitivity, language: Language) -> str:
    """The table and, where targets were given, the K and the start that come nearest to them."""
    lines = [lead_of_sensitivity(found, language), show(spread_table(found, language), left=())]
    if found.placement is not None:
        lines.append(describe_placement(found.placement, language))
    return "\n".join(lines)


def lead_of_sensitivity(found: Sensitivity, language: Language) -> str:
    """How many series, players, and the start."""
    numbers = {"n": f"{found.n_series:,}", "players": f"{found.n_players:,}", "start": f"{found.start:g}"}
    return phrase("sensitivity of", language, **{name: localise(text, language) for name, text in numbers.items()})


def describe_placement(placement: Placement, language: Language) -> str:
    """The K and the start that come nearest to the targets."""
    good, weak = placement.targets
    numbers = {
        "good": f"{good:g}",
        "weak": f"{weak:g}",
        "k": f"{placement.k:.4g}",
        "start": f"{placement.start:.0f}",
        "upper": f"{placement.good:.0f}",
        "lower": f"{placement.weak:.0f}",
        "noise": f"{placement.noise:.0f}",
    }
    return phrase("placement", language, **{name: localise(text, language) for name, text in numbers.items()})


def quality_table(check: Calibration, language: Language) -> Table:
    """How good a winning model is, by kind of game."""
    names = ("kind", "games", "games won", "log_loss", "base_log_loss", "auc")
    rows = [
        [
            phrase(own.kind, language),
            *(
                localise(text, language)
                for text in (
                    f"{own.games:,}", f"{own.won:.3f}", f"{own.log_loss:.3f}", f"{own.base_log_loss:.3f}",
                    "-" if own.auc != own.auc else f"{own.auc:.3f}",
                )
            ),
        ]
        for own in check.quality
    ]  # fmt: skip
    return [phrase(name, language) for name in names], rows


def explain_updates(updates: pl.DataFrame, player: str, language: Language) -> list[str]:
    """Each update of one player in words and numbers."""
    forms = {
        "score": ".0f", "total": ".0f", "expected": ".2f", "before": ".2f", "change": "+.2f", "rating": ".2f", "k": "g",
    }  # fmt: skip
    return [
        phrase(
            "update",
            language,
            series=row["series"],
            **{name: localise(format(row[name], form), language) for name, form in forms.items()},
        )
        for row in updates.filter(player=player).iter_rows(named=True)
    ]


def describe_chance(chance: ChanceEffect, language: Language) -> str:
    """What the chance factors did, and how much less scores vary."""
    before, after = ("-" if sd is None else f"{sd:.0f}" for sd in (chance.score_sd_before, chance.score_sd_after))
    rule = "position rule" if chance.factors == ("position",) else "chance rule"
    return phrase(rule, language, factors=", ".join(chance.factors), before=before, after=after)


def describe_check(n_agreed: int, n_flagged: int, language: Language) -> str:
    """How many games are recorded as the rules say, and how many are not."""
    flagged = phrase("flagged", language, n=localise(f"{n_flagged:,}", language)) if n_flagged else ""
    return phrase("agreed", language, n=localise(f"{n_agreed:,}", language)) + flagged + (":" if n_flagged else "")


def describe_difference(row: Mapping[str, Any], language: Language) -> str:
    """One game that is not recorded as the rules say."""
    values = {"written": _number(row["written"], 0, language), "rules": _number(row["by_rules"], 0, language)}
    place = " ".join(filter(None, (phrase("series", language), row["series"], phrase("game", language), row["game"])))
    who = f" ({row['player']})" if row["player"] else ""
    said = "" if row["written"] == row["by_rules"] else phrase("written", language, **values)
    return f"{place}{who}: " + "; ".join(dict.fromkeys(filter(None, (said, reason_in(row["reason"], language)))))


def show(table: Table, *, left: Sequence[int] = (1,)) -> str:
    """For the terminal."""
    headers, rows = table
    return format_table(headers, rows, left=left)


def _number(value: Any, digits: int, language: Language) -> str:
    if value is None:
        return "-"
    if isinstance(value, float):
        shown = digits if value != round(value) or digits > 1 else min(digits, 1)
        return localise(f"{value:,.{shown}f}", language)
    return localise(f"{value:,}", language) if isinstance(value, int) else str(value)


def _moment(value: Any, language: Language) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, date):
        # a list needs no time of day
        return f"{value:%d.%m.%Y}" if language == "de" else f"{value:%Y-%m-%d}"
    return str(time_text(value))
