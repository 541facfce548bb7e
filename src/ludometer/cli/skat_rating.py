"""What `skat rate` and `skat sensitivity` do: series from a file, chance taken out, one library call, outputs."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace
from itertools import product
from typing import TYPE_CHECKING, Any

import click

from ludometer.cli.options import command_line, note
from ludometer.cli.skat import chance_of, data_of, read_games, write_series
from ludometer.errors import LudometerError, MatchDataError

if TYPE_CHECKING:
    import polars as pl

    from ludometer.ratings.series_ratings import SeriesRatings
    from ludometer.ratings.series_record import SeriesRecord
    from ludometer.read.skat_games import SkatGames
    from ludometer.skat.chance import ChanceFactors, Strength
    from ludometer.skat.sensitivity import Sensitivity

Tables = dict[str, "pl.DataFrame | None"]


def rate_and_write(options: dict[str, Any]) -> None:
    """The command `skat rate`."""
    from ludometer.ratings.series import make_series_elo
    from ludometer.ratings.series_ratings import rate_series
    from ludometer.read.skat_tables import read_standing, read_teams
    from ludometer.skat.seasons import award_titles
    from ludometer.skat.sensitivity import KS

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
    if factors is not None and games is not None:
        record, chance = take_chance_out(record, games, factors, strength, options)
    if options["anonymise"]:
        record, plain, teams, earlier = _hide(record, plain, teams, earlier, options)
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


def show_sensitivity(options: dict[str, Any]) -> None:
    """The command `skat sensitivity`."""
    from ludometer.ratings.series import SeriesElo
    from ludometer.report.documents import provenance_document
    from ludometer.report.files import write_json
    from ludometer.report.skat import sensitivity_document
    from ludometer.skat.sensitivity import choose_step_and_start

    steps = parse_numbers(options["k"], "--k", ",")
    _, strength = chance_of(options, None)
    if "i3" in (options["factors"] or ""):
        options = count_folded(options)
    record, games = load_series(options, with_records=options["factors"] is not None)
    names = _factor_names(options["factors"], has_records=games is not None and games.records is not None)
    spread = measure_spread(record, games, strength, names, steps, options)
    placement = None
    if options["targets"]:
        ends = parse_numbers(options["targets"], "--targets", ":")
        if len(ends) != 2 or not ends[0] > ends[1]:
            raise LudometerError(f"--targets {options['targets']}: two ratings, the good first, such as 1100:650")
        least = max(options["min_series"], 2)
        placement = choose_step_and_start(
            record, good=ends[0], weak=ends[1], min_series=least, system=SeriesElo(form=options["form"])
        )
    if options["json_file"] != "-":
        click.echo(f"{spread.n_series:,} series of {spread.n_players:,} players, start {options['start']:g}")
        click.echo(spread_text(spread))
        if placement is not None:
            click.echo(
                f"nearest to {options['targets']}: K {placement.k:.4g}, start {placement.start:.0f}: best tenth "
                f"{placement.good:.0f}, last tenth {placement.weak:.0f}, noise of a rating {placement.noise:.0f}"
            )
    if options["json_file"]:
        body = sensitivity_document(spread, factors=names, start=options["start"], placement=placement)
        origin = provenance_document([spread.provenance], command_line())
        write_json(body | {"provenance": origin}, options["json_file"])


def count_folded(options: dict[str, Any]) -> dict[str, Any]:
    """The options with folded games in the lists: i3 has the mean zero over all that was dealt, not over a choice."""
    if not options["folded"]:
        note("i3 needs all deals: folded games count as games of a list, as with --folded")
    return options | {"folded": True}


def load_series(options: dict[str, Any], *, with_records: bool) -> tuple[SeriesRecord, SkatGames | None]:
    """The series of a file, and its games if it has any; `with_records` refuses a file without cards."""
    from ludometer.read.skat_games import is_series_table, read_series_record

    source = options["series"]
    if not is_series_table(source):
        games = read_games(source, options)
        if with_records and games.records is None:
            raise LudometerError(f"{games.name}: chance factors need game records with cards (ISS records, xskat logs)")
        return games.to_record(), games
    if with_records:
        raise LudometerError(f"{source}: chance factors need game records with cards, not results of series")
    record = read_series_record(source)
    note(f"{source}: {len(record):,} series of {len(record.matches.players):,} players")
    return record, None


def take_chance_out(
    record: SeriesRecord,
    games: SkatGames,
    factors: ChanceFactors,
    strength: Strength | None,
    options: dict[str, Any],
) -> tuple[SeriesRecord, dict[str, Any]]:
    """The same series with corrected scores, and how much less a player's scores spread."""
    import polars as pl

    from ludometer.skat.list_chance import spread_within

    corrected = correct_record(record, games, factors, strength, options)
    player = record.to_frame()["player"]
    named = {"i1": factors.hand, "i2": factors.mean_value, "i3": factors.deal is not None}
    return corrected, {
        "factors": [name for name, on in named.items() if on],
        "deal": factors.deal,
        "lost": factors.lost if factors.hand else None,
        "score_sd_before": spread_within(player, pl.Series(record.score)),
        "score_sd_after": spread_within(player, pl.Series(corrected.score)),
    }


def correct_record(
    record: SeriesRecord, games: SkatGames, factors: ChanceFactors, strength: Strength | None, options: dict[str, Any]
) -> SeriesRecord:
    """The record with scores from which the factors took luck."""
    import polars as pl

    from ludometer.skat.list_chance import correct_lists
    from ludometer.skat.series import LENGTHS

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


def measure_spread(
    record: SeriesRecord,
    games: SkatGames | None,
    strength: Strength | None,
    names: tuple[str, ...],
    steps: tuple[float, ...],
    options: dict[str, Any],
) -> Sensitivity:
    """Table VIII: with game records every choice of the factors, else none of them."""
    from ludometer.ratings.series import SeriesElo
    from ludometer.skat.chance import ChanceFactors
    from ludometer.skat.sensitivity import measure_sensitivity

    system = SeriesElo(start_rating=options["start"], form=options["form"])
    records: dict[Hashable, SeriesRecord] = {}
    has_cards = games is not None and games.records is not None
    for key in product((0, 1), repeat=len(names)) if has_cards else [(0,) * len(names)]:
        on = dict(zip(names, key, strict=True))
        if not any(key):
            records[key] = record
            continue
        factors = ChanceFactors(
            bool(on.get("i1")), bool(on.get("i2")), "own" if on.get("i3") else None, options["lost"]
        )
        assert games is not None
        records[key] = correct_record(record, games, factors, strength, options)
    return measure_sensitivity(
        records, k=steps, system=system, names=names, min_series=max(options["min_series"], 1)
    )  # fmt: skip


def spread_text(spread: Sensitivity) -> str:
    """The table for the terminal."""
    from ludometer.report.text import format_table

    frame = spread.to_frame()
    headers = [name.replace("top_", "top ") for name in frame.columns]
    rows = [
        [f"{value:g}" if name == "k" or isinstance(value, int) else f"{value:.1f}" for name, value in row.items()]
        for row in frame.iter_rows(named=True)
    ]
    return format_table(headers, rows, left=())


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


def parse_numbers(text: str, option: str, sign: str) -> tuple[float, ...]:
    """Numbers with a sign between them."""
    try:
        return tuple(float(part) for part in text.split(sign))
    except ValueError as error:
        raise LudometerError(f"{option} {text!r}: numbers with {sign!r} between them") from error


def _factor_names(text: str | None, *, has_records: bool) -> tuple[str, ...]:
    from ludometer.skat.list_chance import FACTORS

    words = tuple(dict.fromkeys(word.strip() for word in (text or "i1,i2").split(",")))
    odd = [word for word in words if word not in FACTORS]
    if odd:
        raise LudometerError(f"--factors {odd[0]}: some of {', '.join(FACTORS)}")
    if not has_records:
        note("results of series have no cards: the rows are those without chance factors")
    return words


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
    from ludometer.ratings.series import SeriesElo
    from ludometer.ratings.series_variants import FORUM, MultiplayerElo, QuotientElo, compare_variants

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
    from ludometer.report.skat import rate_document

    if options["json_file"] != "-":
        _print(options, ratings, players, tables, chance, spread)
    if options["html"]:
        from ludometer.report.skat_page import SkatPage, write_skat_page

        page = SkatPage(
            name="-" if options["series"] == "-" else options["series"].replace("\\", "/").rsplit("/", 1)[-1],
            ratings=ratings, players=players, tables=tables, command=command_line(), language=options["language"],
            courses=drawn(options), chance=chance, sensitivity=spread,
        )  # fmt: skip
        write_skat_page(page, options["html"])
        note(f"wrote {options['html']}")
    if options["json_file"]:
        body = rate_document(ratings, players, data, tables, chance=chance, sensitivity=spread, absent=absent)
        origin = provenance_document([ratings.provenance], command_line())
        write_json(body | {"provenance": origin}, options["json_file"])


def _print(
    options: dict[str, Any],
    ratings: SeriesRatings,
    players: pl.DataFrame,
    tables: Tables,
    chance: dict[str, Any] | None,
    spread: Sensitivity | None,
) -> None:
    from ludometer.report.skat_text import plain_table, rating_table, season_names, show
    from ludometer.report.skat_words import phrase
    from ludometer.report.text import printable

    language, top = options["language"], options["top"]
    click.echo(show(rating_table(players.head(top), language)))
    if len(players) > top:
        click.echo(phrase("and more", language, n=f"{len(players) - top:,}") + f" (--top {len(players)})")
    season, teams = tables["season"], tables["teams"]
    if season is not None and (options["min_series"] or options["min_share"] or options["dropped"]):
        click.echo("\n" + phrase("Season", language))
        click.echo(show(plain_table(season.head(top), language, names=season_names())))
    if teams is not None:
        click.echo("\n" + phrase("Teams", language))
        click.echo(show(plain_table(teams, language, names={"points": "team_points"})))
    if chance is not None:
        spreads = {name: f"{chance[f'score_sd_{name}'] or 0:.0f}" for name in ("before", "after")}
        click.echo("\n" + phrase("chance rule", language, factors=", ".join(chance["factors"]), **spreads))
    if spread is not None:
        click.echo("\n" + spread_text(spread))
    if options["explain"]:
        click.echo("\n" + "\n".join(map(printable, ratings.explain(options["explain"]))))


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


def _hide(
    record: SeriesRecord,
    plain: SeriesRecord,
    teams: dict[str, str] | None,
    earlier: pl.DataFrame | None,
    options: dict[str, Any],
) -> tuple[SeriesRecord, SeriesRecord, dict[str, str] | None, pl.DataFrame | None]:
    """Everything with numbers in the place of names, the same ones everywhere."""
    import polars as pl

    hidden, hidden_plain = (one.anonymised(seed=options["seed"]) for one in (record, plain))
    before, after = (one.matches.players.names.to_list() for one in (record, hidden))
    number = dict(zip(before, after, strict=True))
    if teams is not None:
        # teams keep their names: they are no persons
        teams = {number[name]: team for name, team in teams.items() if name in number}
    if earlier is not None:
        known = earlier.filter(pl.col("player").is_in(before))
        earlier = known.with_columns(pl.col("player").replace_strict(number))
    return hidden, hidden_plain, teams, earlier
