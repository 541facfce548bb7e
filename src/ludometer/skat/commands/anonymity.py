"""Names taken out of all that the Skat commands write: of players, and of files that may be called after them."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from ludometer.cli.options import command_line, note

if TYPE_CHECKING:
    import polars as pl

    from ludometer.ratings.scores.record import SeriesRecord

_FILES = ("games", "series", "out", "matches", "html", "json_file", "teams", "ratings", "model", "plot")


def shown_command(options: dict[str, Any]) -> str:
    """The command as it was given; with --anonymise FILE stands for each file, and the seed is left out.

    Who knows all names and the seed could find out who P-1 is.
    """
    line = command_line()
    if not options.get("anonymise"):
        return line
    files = {str(options[name]) for name in _FILES if options.get(name)} - {"-"}
    words, rest = [], iter(shlex.split(line))
    for word in rest:
        option, sign, value = word.partition("=")
        if word == "--seed":
            next(rest, None)
        elif word in files:
            words.append("FILE")
        elif option.startswith("--") and sign and value in files:
            words.append(f"{option}=FILE")
        elif option != "--seed":
            words.append(word)
    return shlex.join(words)


def warn_of_seed(options: dict[str, Any]) -> None:
    """With --anonymise and the seed that everybody knows, say so."""
    if not options["anonymise"]:
        return
    if click.get_current_context().get_parameter_source("seed") is ParameterSource.DEFAULT:
        note(
            "players are numbered in an order that who knows all their names can find out: choose a --seed and keep it "
            "to yourself"
        )


def hide_names(
    record: SeriesRecord,
    plain: SeriesRecord,
    teams: dict[str, str] | None,
    earlier: pl.DataFrame | None,
    seed: int,
) -> tuple[SeriesRecord, SeriesRecord, dict[str, str] | None, pl.DataFrame | None]:
    """Everything with numbers in the place of names, the same ones everywhere."""
    import polars as pl

    from ludometer.ratings.scores.record import number_if_named

    hidden, hidden_plain = (one.anonymised(seed=seed) for one in (record, plain))
    before, after = (one.matches.players.names.to_list() for one in (record, hidden))
    number = dict(zip(before, after, strict=True))
    if teams is not None:
        # teams keep their names, but for those called after a player
        called = sorted(set(teams.values()))
        shown = dict(zip(called, number_if_named(called, before, prefix="T-"), strict=True))
        teams = {number[name]: shown[team] for name, team in teams.items() if name in number}
    if earlier is not None:
        known = earlier.filter(pl.col("player").is_in(before))
        earlier = known.with_columns(pl.col("player").replace_strict(number))
    return hidden, hidden_plain, teams, earlier
