"""Chance factors of the Skat commands: by cards of game records, or by a column that says how strong a start was."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from ludometer.cli.options import note
from ludometer.errors import LudometerError

if TYPE_CHECKING:
    from ludometer.ratings.scores.luck import Form
    from ludometer.ratings.scores.record import SeriesRecord
    from ludometer.skat.luck.chance import ChanceFactors, Strength
    from ludometer.skat.reading.games import SkatGames

_POSITION = "position"


def chance_of(options: dict[str, Any], text: str | None) -> tuple[ChanceFactors | None, Strength | None]:
    """Chance factors and the strength that i1 compares hands by."""
    from ludometer.skat.luck.list_chance import parse_factors
    from ludometer.skat.luck.winning import WinningModel

    strength = WinningModel.load(options["model"]).predict if options["model"] else None
    factors = None if text is None or position_form(text) else parse_factors(text, lost=options["lost"])
    return (None if factors is None or not (factors.hand or factors.mean_value or factors.deal) else factors), strength


def position_form(text: str | None) -> Form | None:
    """How the column position is used, if it is: "position" by a difference, "position:quotient" by a quotient.

    >>> position_form("position"), position_form("position:quotient"), position_form("i1")
    ('difference', 'quotient', None)
    """
    word, _, form = (text or "").strip().casefold().partition(":")
    if word != _POSITION:
        return None
    if form not in ("", "difference", "quotient"):
        raise LudometerError(f"--chance {text}: write position, position:difference or position:quotient")
    return cast("Form", form or "difference")


def count_folded(options: dict[str, Any]) -> dict[str, Any]:
    """The options with folded games in the lists: i3 has the mean zero over all that was dealt, not over a choice."""
    if not options["folded"]:
        note("i3 needs all deals: folded games count as games of a list, as with --folded")
    return options | {"folded": True}


def adjust_starts(record: SeriesRecord, form: Form) -> tuple[SeriesRecord, dict[str, Any]]:
    """The same series without the luck of the start, from their column position."""
    from ludometer.ratings.scores.luck import adjust_for_position

    adjusted = adjust_for_position(record, form=form)
    note(adjusted.summary())
    return adjusted.record, _document([_POSITION], record, adjusted.record)


def take_chance_out(
    record: SeriesRecord,
    games: SkatGames,
    factors: ChanceFactors,
    strength: Strength | None,
    options: dict[str, Any],
) -> tuple[SeriesRecord, dict[str, Any]]:
    """The same series with corrected scores, and how much less a player's scores spread."""
    corrected = correct_record(record, games, factors, strength, options)
    named = {"i1": factors.hand, "i2": factors.mean_value, "i3": factors.deal is not None}
    found = _document([name for name, on in named.items() if on], record, corrected)
    return corrected, found | {"deal": factors.deal, "lost": factors.lost if factors.hand else None}


def correct_record(
    record: SeriesRecord, games: SkatGames, factors: ChanceFactors, strength: Strength | None, options: dict[str, Any]
) -> SeriesRecord:
    """The record with scores from which the factors took luck."""
    import polars as pl

    from ludometer.skat.luck.list_chance import correct_lists
    from ludometer.skat.rules.series import LENGTHS

    assert games.lists is not None
    assert games.records is not None
    if options["scoring"] != "extended" or options["substitutes"] != "player":
        raise LudometerError("chance factors are for players' scores of the extended Seeger system")
    change = correct_lists(games.lists, games.records, factors, strength=strength, seed=options["seed"])
    frame = record.to_frame().join(change, on=["series", "player"], how="left", maintain_order="left")
    frame = frame.with_columns(pl.col("change").fill_null(0.0))
    if options["short"] == "rescale":
        seats = pl.DataFrame({"series": games.results.series, "n_seats": games.results.n_seats}).unique("series")
        frame = frame.join(
            seats.with_columns(pl.col("series").cast(pl.String)), on="series", how="left", maintain_order="left"
        )
        full = pl.when(pl.col("n_seats") == 4).then(LENGTHS[4]).otherwise(LENGTHS[3])
        frame = frame.with_columns(change=pl.col("change") * full / pl.col("games"))
    return record.with_scores(record.score + frame["change"].to_numpy())


def _document(names: list[str], before: SeriesRecord, after: SeriesRecord) -> dict[str, Any]:
    import polars as pl

    from ludometer.skat.luck.list_chance import spread_within

    player = before.to_frame()["player"]
    return {
        "factors": names,
        "deal": None,
        "lost": None,
        "score_sd_before": spread_within(player, pl.Series(before.score)),
        "score_sd_after": spread_within(player, pl.Series(after.score)),
    }
