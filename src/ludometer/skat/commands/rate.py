"""What `skat rate` does: series from a file, chance taken out, one library call, tables and outputs."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from ludometer.cli.options import note
from ludometer.errors import LudometerError, MatchDataError
from ludometer.skat.commands.anonymity import hide_names, shown_command, warn_of_seed
from ludometer.skat.commands.luck import adjust_starts, chance_of, count_folded, position_form, take_chance_out
from ludometer.skat.commands.sensitivity import measure_spread
from ludometer.skat.commands.source import data_of, load_series, write_series

if TYPE_CHECKING:
    import polars as pl

    from ludometer.ratings.scores.audit import SeriesRatings
    from ludometer.ratings.scores.record import SeriesRecord
    from ludometer.skat.reading.games import SkatGames
    from ludometer.skat.sensitivity import Sensitivity

Tables = dict[str, "pl.DataFrame | None"]


def rate_and_write(options: dict[str, Any]) -> None:
    """The command `skat rate`."""
    from ludometer.ratings.scores.audit import rate_series
    from ludometer.ratings.scores.elo import make_series_elo
    from ludometer.skat.reading.tables import read_standing, read_teams
    from ludometer.skat.seasons import award_titles
    from ludometer.skat.sensitivity import KS

    _check_numbers(options)
    extra = {name: options[name] for name in ("newcomer_k", "floor") if options[name] is not None}
    if options["newcomer_k"] is not None:
        extra["newcomer_series"] = options["newcomer_series"]
    system = make_series_elo(k=options["k"], start=options["start"], form=options["form"], **extra)
    titles = parse_titles(options["titles"])
    factors, strength = chance_of(options, options["chance"])
    if factors is not None and factors.deal is not None:
        options = count_folded(options)
    record, games = load_series(options, with_records=factors is not None)
    teams = None if options["teams"] is None else read_teams(options["teams"])
    earlier = None if options["ratings"] is None else read_standing(options["ratings"])
    plain = record
    chance = None
    if form := position_form(options["chance"]):
        record, chance = adjust_starts(record, form)
    elif factors is not None and games is not None:
        record, chance = take_chance_out(record, games, factors, strength, options)
    if options["anonymise"]:
        warn_of_seed(options)
        record, plain, teams, earlier = hide_names(record, plain, teams, earlier, options["seed"])
    ratings = rate_series(record, system=system, since=options["since"], ratings=earlier)
    _check_names(options, ratings)
    players = award_titles(ratings.players, titles) if titles else ratings.players
    tables, absent = _tables(record, ratings, teams, options)
    spread = None
    if options["sensitivity"]:
        start = float(ratings.provenance.parameters["start_rating"])
        steps = tuple(sorted({*KS, options["k"]}))
        spread = measure_spread(plain, games, strength, ("i1", "i2"), steps, options | {"start": start})
    data = _data(record, games)
    _write(options, ratings, players, tables, absent, chance, spread, data)
    if options["matches"]:
        write_series(plain, options["matches"])


def _check_numbers(options: dict[str, Any]) -> None:
    """Before anything is read: steps, start and floor that can be, as click takes nan and inf for numbers too."""
    for name in ("k", "newcomer_k"):
        if options[name] is not None and not math.isfinite(options[name]):
            option = f"--{name.replace('_', '-')}"
            raise LudometerError(f"{option} {options[name]:g}: write a number from 0 up, such as 0.02")
    start = str(options["start"]).strip()
    first = start.removeprefix("first:")
    if start != "mean" and not (first.isdecimal() and int(first) > 0 if first != start else _is_finite(start)):
        raise LudometerError(f"--start {start}: write a number, mean, or first:N, such as 800 or first:10")
    if options["floor"] is not None and not math.isfinite(options["floor"]):
        raise LudometerError(f"--floor {options['floor']:g}: write a rating, such as 500")


def _is_finite(text: str) -> bool:
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False


def parse_titles(text: str | None) -> dict[str, float]:
    """Titles and what they need: "1100=Meister,1000=Experte".

    >>> parse_titles("1100=Meister, 1000=Experte")
    {'Meister': 1100.0, 'Experte': 1000.0}
    """
    titles = {}
    for part in (text or "").split(","):
        if not part.strip():
            continue
        bound, sign, name = (word.strip() for word in part.partition("="))
        try:
            titles[name] = float(bound)
        except ValueError:
            sign = ""
        if not sign or not name:
            raise LudometerError(f"--titles {part.strip()!r}: write a rating and a name, such as 1100=Meister")
    return titles


def _tables(
    record: SeriesRecord, ratings: SeriesRatings, teams: dict[str, str] | None, options: dict[str, Any]
) -> tuple[Tables, dict[str, str]]:
    """Season, teams and other systems, and why one of them is not there."""
    from ludometer.skat.seasons import list_games, season_table, team_table

    absent: dict[str, str] = {}
    tables: Tables = {"season": None, "teams": None, "variants": None}
    try:
        games = list_games(record)
        whole = replace(record, columns={**record.columns, "games": games})
    except MatchDataError as error:
        absent["season"] = str(error)
        whole = record
    if not absent:
        names = ("since", "dropped", "min_series", "min_share")
        tables["season"] = season_table(whole, **{name: options[name] for name in names})
    if teams is None:
        absent["teams"] = "not asked for (--teams)"
    else:
        counted = record if options["since"] is None else record.take(record.since(options["since"]))
        tables["teams"] = team_table(counted, teams)
    tables["variants"] = _compare(whole, ratings, options)
    return tables, absent


def _compare(record: SeriesRecord, ratings: SeriesRatings, options: dict[str, Any]) -> pl.DataFrame:
    """All systems on all series, the chosen one first."""
    from ludometer.ratings.scores.elo import SeriesElo
    from ludometer.ratings.scores.variants import FORUM, MultiplayerElo, QuotientElo, compare_variants

    given = {name: value for name, value in ratings.provenance.parameters.items() if name != "prizes"}
    own = SeriesElo(**given)
    start = own.start_rating
    rival = replace(FORUM, start_rating=start) if options["form"] == "proportional" else SeriesElo(start_rating=start)
    others = [MultiplayerElo(method=method) for method in ("mean", "points", "softmax")]
    return compare_variants(record, systems=[own, rival, QuotientElo(start_rating=start), *others])


def _write(
    options: dict[str, Any],
    ratings: SeriesRatings,
    players: pl.DataFrame,
    tables: Tables,
    absent: dict[str, str],
    chance: dict[str, Any] | None,
    spread: Sensitivity | None,
    data: dict[str, Any],
) -> None:
    from ludometer.report.documents import provenance_document
    from ludometer.report.files import write_json
    from ludometer.skat.report.documents import rate_document

    if options["json_file"] != "-":
        _print(options, ratings, players, tables, chance, spread)
    if options["html"]:
        from ludometer.skat.report.page import SkatPage, write_skat_page

        page = SkatPage(
            name=_title(options),
            ratings=ratings, players=players, tables=tables, command=shown_command(options),
            language=options["language"], courses=drawn(options), chance=chance, sensitivity=spread,
        )  # fmt: skip
        write_skat_page(page, options["html"])
        note(f"wrote {options['html']}")
    if options["json_file"]:
        body = rate_document(ratings, players, data, tables, chance=chance, sensitivity=spread, absent=absent)
        origin = provenance_document([ratings.provenance], shown_command(options))
        write_json(body | {"provenance": origin}, options["json_file"])


def _print(
    options: dict[str, Any],
    ratings: SeriesRatings,
    players: pl.DataFrame,
    tables: Tables,
    chance: dict[str, Any] | None,
    spread: Sensitivity | None,
) -> None:
    from ludometer.report.text import printable
    from ludometer.skat.report.phrases import phrase
    from ludometer.skat.report.text import (
        describe_chance,
        explain_updates,
        plain_table,
        rating_table,
        season_names,
        show,
        spread_table,
    )

    language, top = options["language"], options["top"]
    click.echo(show(rating_table(players.head(top), language)))
    if len(players) > top:
        click.echo(phrase("and more of", language, n=f"{len(players) - top:,}", all=len(players)))
    season, teams = tables["season"], tables["teams"]
    if season is not None and (options["min_series"] or options["min_share"] or options["dropped"]):
        click.echo("\n" + phrase("Season", language))
        click.echo(show(plain_table(season.head(top), language, names=season_names())))
    if teams is not None:
        click.echo("\n" + phrase("Teams", language))
        click.echo(show(plain_table(teams, language, names={"points": "team_points"})))
    if chance is not None:
        click.echo("\n" + describe_chance(chance, language))
    if spread is not None:
        click.echo("\n" + show(spread_table(spread, language), left=()))
    if options["explain"]:
        click.echo("\n" + "\n".join(map(printable, explain_updates(ratings, options["explain"], language))))


def _check_names(options: dict[str, Any], ratings: SeriesRatings) -> None:
    """Before anything is printed: players to draw and to explain have to be there."""
    wanted = [*drawn(options), *([options["explain"]] if options["explain"] else [])]
    known = set(ratings.updates["player"].to_list())
    missing = [name for name in wanted if name not in known]
    if missing:
        hidden = "; with --anonymise they are called P-1, P-2 and so on" if options["anonymise"] else ""
        raise LudometerError(f"nobody called {missing[0]!r} has an update here{hidden}")


def drawn(options: dict[str, Any]) -> list[str]:
    """The players that the charts show; none: the best."""
    return [name.strip() for name in (options["draw"] or "").split(",") if name.strip()]


def _data(record: SeriesRecord, games: SkatGames | None) -> dict[str, Any]:
    origin = {"format": "series results", "games": None} if games is None else data_of(games)
    return {
        "format": origin["format"],
        "series": len(record),
        "players": int((record.matches.counts > 0).sum()),
        "games": origin["games"],
    }


def _title(options: dict[str, Any]) -> str:
    """What the page is called: by the file, unless its name is to be hidden."""
    from ludometer.skat.report.phrases import phrase

    if options["anonymise"] or options["series"] == "-":
        return phrase("Series results", options["language"])
    return str(options["series"]).replace("\\", "/").rsplit("/", 1)[-1]
