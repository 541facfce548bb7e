"""ludometer skat: list sheets, ratings of series, their sensitivity, and the winning model."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ludometer.cli.options import Command, command_line, json_option, listen, note, out_path
from ludometer.errors import LudometerError

if TYPE_CHECKING:
    from ludometer.ratings.series_record import SeriesRecord
    from ludometer.read.skat_games import ListRules, SkatGames
    from ludometer.skat.chance import ChanceFactors, Strength

_SHEETS, _LINES, _PLAYERS = 3, 5, 20


@click.group("skat")
def command() -> None:
    """Skat: score lists, rate players by their series, reduce the luck of the cards.

    Games are read from records of the International Skat Server (.sgf, .bz2), logs of xskat, or a table of a score list
    game by game; series from a table with a row a player: series, player, and score, or points, won, lost. German
    headings are understood.
    """


def _add(*options: Callable[[Any], Any]) -> Callable[[Command], Command]:
    def add(function: Command) -> Command:
        for option in reversed(options):
            function = option(function)
        return function

    return add


_list_options = _add(
    click.option(
        "--scoring",
        type=click.Choice(["extended", "plain", "points"]),
        default="extended",
        show_default=True,
        help="Extended Seeger (Seeger-Fabian), plain Seeger, or points only.",
    ),
    click.option(
        "--short",
        type=click.Choice(["drop", "keep", "rescale"]),
        default="drop",
        show_default=True,
        help="Lists of game records with fewer games than a full one.",
    ),
    click.option("--length", type=click.IntRange(1), metavar="N", help="Games of a list.  [default: 36, of four 48]"),
    click.option("--folded", is_flag=True, help="Folded games count as games of a list (the paper drops them)."),
    click.option(
        "--points",
        type=click.Choice(["recorded", "rules"]),
        default="recorded",
        show_default=True,
        help="Which value counts where a record differs from the rules.",
    ),
    click.option("--substitutes", type=click.Choice(["player", "seat"]), default="player", show_default=True,
                 help="Who changed in the middle of a list: each for himself, or one result of the seat."),
    click.option("--house-rules", metavar="RULE,...", help="In score lists: kontra, bock, ramsch."),
    click.option("--skip-damaged", is_flag=True, help="Go on without damaged records, which are listed."),
    click.option("--lot", type=click.IntRange(0), metavar="SEED", help="Draw lots where all tie-breaks are equal."),
)  # fmt: skip
_language = click.option(
    "--language", type=click.Choice(["en", "de"]), default="en", show_default=True, help="Words of tables and report."
)
_anonymise = click.option(
    "--anonymise", is_flag=True, help="Players are called P-1, P-2, in a random order (--seed) everywhere."
)
_seed = click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="For what is drawn.")
_matches = click.option(
    "--matches",
    callback=out_path,
    metavar="FILE",
    help="Write the series as matches (match, player, place), so that ludometer measure can say how much is luck.",
)
_chance = _add(
    click.option(
        "--chance",
        metavar="i1,i2,i3",
        help="From game records: i1 hand, i2 mean value, i3 deal (the cleanest; i3:table sees all three hands).",
    ),
    click.option(
        "--lost",
        type=click.Choice(["divide", "keep", "multiply"]),
        default="divide",
        show_default=True,
        help="What i1 does to lost games; divide as the paper.",
    ),
    click.option("--model", metavar="FILE", help="Winning model for i1, as ludometer skat fit writes it."),
)


@command.command("score")
@click.argument("games")
@_list_options
@_language
@click.option("--top", type=click.IntRange(1), default=_SHEETS, show_default=True, help="Sheets to print.")
@click.option("--out", callback=out_path, metavar="FILE", help="Write the series (.csv, .parquet), for skat rate.")
@_matches
@_anonymise
@_seed
@json_option
def score(**options: Any) -> None:
    """List sheets from GAMES: points, games won and lost, and the score of each player.

    Games recorded otherwise than by the rules are listed with the reason.

    \b
    ludometer skat score games.sgf --short keep
    ludometer skat score club-evening.csv --language de --out series.csv
    """
    listen()
    _check_targets(options, "games", ("out", "matches", "json_file"))
    from ludometer.read.skat_games import has_totals
    from ludometer.report.documents import provenance_document
    from ludometer.report.files import write_frame, write_json
    from ludometer.report.skat import score_document

    found = read_games(options["games"], options)
    if options["anonymise"]:
        found = found.anonymised(seed=options["seed"])
    sheets, differences = found.to_frame(), found.differences
    totals = has_totals(found.results)
    if options["json_file"] != "-":
        _print_sheets(sheets, differences, options, totals=totals)
    if options["out"]:
        kept = [name for name in ("series", "time", "player", "games", "points", "won", "lost", "score", "place")
                if name in sheets.columns and (totals or name not in ("games", "points", "won", "lost"))]  # fmt: skip
        write_frame(sheets.select(kept), options["out"])
        note(f"wrote {found.n_series:,} series to {options['out']}")
    if options["matches"]:
        write_series(found.to_record(), options["matches"])
    if options["json_file"]:
        data = data_of(found) | {"players": sheets["player"].n_unique()}
        body = score_document(sheets, differences, data, system=options["scoring"], has_totals=totals,
                              damaged=[(fault.line, fault.reason) for fault in found.damaged])  # fmt: skip
        origin = provenance_document([found.results.provenance], command_line())
        absent = {"provenance.data": "series are not matches"}
        if origin["seed"] is not None:
            body["absent"].pop("provenance.seed")
        write_json(body | {"absent": body["absent"] | absent, "provenance": origin}, options["json_file"])


@command.command("rate")
@click.argument("series")
@click.option("--k", type=click.FloatRange(0), default=0.02, show_default=True, help="Step: 0.02 remembers 50 series.")
@click.option(
    "--start", default="800", show_default=True, help="A number, mean (of all scores) or first:N (of one's first N)."
)
@click.option("--form", type=click.Choice(["proportional", "additive"]), default="proportional", show_default=True,
              help="E = R_i S / R, or E = R_i + (S - R) / n.")  # fmt: skip
@click.option("--newcomer-k", type=click.FloatRange(0), metavar="K", help="Step of a newcomer, which falls to --k.")
@click.option("--newcomer-series", type=click.IntRange(1), default=20, show_default=True, help="Over so many series.")
@click.option("--floor", type=float, metavar="RATING", help="No rating falls below.")
@click.option("--since", metavar="DATE", help="List updates, and the season, from a date (or series) on.")
@click.option("--ratings", metavar="FILE", help="Ratings that stood before --since: player, rating, perhaps series.")
@click.option("--titles", metavar="1100=Meister,...", help="Titles by the rating that they need.")
@click.option("--min-series", type=click.IntRange(0), default=0, metavar="N", help="Season table: least series.")
@click.option("--min-share", type=click.FloatRange(0, 1), default=0.0, metavar="SHARE",
              help="Season table: least share of the games of who played most (ISPA 0.75).")  # fmt: skip
@click.option("--dropped", type=click.IntRange(0), default=0, metavar="N", help="Season table: worst lists left out.")
@click.option("--teams", metavar="FILE", help="Table of player, team: also a table of team points.")
@click.option("--sensitivity", is_flag=True, help="Also the table of K and chance factors.")
@click.option("--draw", metavar="NAME,...", help="Players in the charts of the report.  [default: the five best]")
@click.option("--explain", metavar="NAME", help="Also print every update of this player.")
@click.option("--top", type=click.IntRange(1), default=_PLAYERS, show_default=True, help="Players to print.")
@_chance
@_list_options
@_language
@_matches
@_anonymise
@_seed
@click.option("--html", callback=out_path, metavar="FILE", help="Write the report as a page.")
@json_option
def rate(**options: Any) -> None:
    """Ratings of players by their series, each update with what was expected.

    SERIES is a table of results (of any game with scores), or games, which are scored first.

    \b
    ludometer skat rate series.csv --k 0.02 --start 800 --html ratings.html
    ludometer skat rate games.sgf.bz2 --chance i3 --start mean
    ludometer skat rate saison.csv --language de --titles 1100=Meister,1000=Experte --min-share 0.75
    """
    listen()
    _check_targets(options, "series", ("matches", "html", "json_file"))
    from ludometer.cli.skat_rating import rate_and_write

    rate_and_write(options)


@command.command("sensitivity")
@click.argument("series")
@click.option("--k", default="0.01,0.02,0.04,0.08", show_default=True, metavar="K,...", help="Steps.")
@click.option("--start", type=float, default=850.0, show_default=True, help="Start rating.")
@click.option("--form", type=click.Choice(["proportional", "additive"]), default="proportional", show_default=True,
              help="Form of the expectation.")  # fmt: skip
@click.option("--factors", metavar="i1,i2,i3", help="Chance factors to switch on and off.  [default: i1,i2 of records]")
@click.option(
    "--targets", metavar="GOOD:WEAK", help="Also the K and start that bring the best and last tenth there: 1100:650."
)
@click.option(
    "--min-series", type=click.IntRange(1), default=1, show_default=True, help="Players with fewer do not count."
)
@click.option("--lost", type=click.Choice(["divide", "keep", "multiply"]), default="divide", show_default=True,
              help="What i1 does to lost games.")  # fmt: skip
@click.option("--model", metavar="FILE", help="Winning model for i1.")
@_list_options
@_language
@_seed
@json_option
def sensitivity(**options: Any) -> None:
    """How ratings spread for chance factors and K: Max, Mean, Min, and what the top 10, 25, 75, 90 % reach.

    \b
    ludometer skat sensitivity games.sgf --k 0.01,0.02,0.05
    """
    listen()
    _check_targets(options, "series", ("json_file",))
    from ludometer.cli.skat_rating import show_sensitivity

    show_sensitivity(options)


@command.command("fit")
@click.argument("games")
@click.option("--out", required=True, callback=out_path, metavar="FILE", help="Model to write (.json), for --model.")
@click.option("--ridge", type=click.FloatRange(0), default=1.0, show_default=True, help="Penalty on the slopes.")
@click.option("--plot", callback=out_path, metavar="FILE", help="Write the calibration on games not used (.svg).")
@click.option("--skip-damaged", is_flag=True, help="Go on without damaged records.")
@_seed
@json_option
def fit(**options: Any) -> None:
    """Fit the declarer's chance to win on the game records of GAMES, by kind of game.

    A tenth of the games is kept aside to say how good such a model is; the one that is written rests on all.

    \b
    ludometer skat fit games.sgf.bz2 --out model.json
    ludometer skat rate games.sgf.bz2 --chance i1 --model model.json
    """
    listen()
    _check_targets(options, "games", ("out", "plot", "json_file"))
    from ludometer.report.documents import provenance_document
    from ludometer.report.files import replacing, write_json
    from ludometer.report.skat import fit_document
    from ludometer.skat.fitting import fit_on_records

    found = read_games(options["games"], options)
    if found.records is None:
        raise LudometerError(f"{found.name}: a winning model needs game records with cards (ISS records, an xskat log)")
    fitted = fit_on_records(found.records, ridge=options["ridge"], seed=options["seed"], source=found.name)
    with replacing(options["out"]) as draft:
        fitted.model.save(draft)
    if options["json_file"] != "-":
        click.echo(f"{sum(fitted.model.games.values()):,} games; on {fitted.held_out:,} not used for the fit:")
        click.echo(fitted.check.summary())
    note(f"wrote the model to {options['out']}")
    if options["plot"]:
        from ludometer.report.charts import to_svg

        with replacing(options["plot"]) as draft:
            draft.write_text(to_svg(fitted.check.plot()), encoding="utf-8")
    if options["json_file"]:
        origin = provenance_document([fitted.provenance], command_line())
        body = fit_document(fitted.model, fitted.check, held_out=fitted.held_out)
        absent = body["absent"] | {"provenance.data": "games are not matches"}
        write_json(body | {"absent": absent, "provenance": origin}, options["json_file"])


def list_rules(options: dict[str, Any]) -> ListRules:
    """How games become lists, by the options."""
    from ludometer.read.skat_games import ListRules
    from ludometer.skat.house_rules import HouseRules

    if "scoring" not in options:
        return ListRules(short="keep")
    words = [word.strip().casefold() for word in (options["house_rules"] or "").split(",") if word.strip()]
    odd = [word for word in words if word not in ("kontra", "bock", "ramsch")]
    if odd:
        raise LudometerError(f"--house-rules {odd[0]}: kontra, bock and ramsch are known")
    return ListRules(
        system=options["scoring"],
        by=options["substitutes"],
        points=options["points"],
        short=options["short"],
        folded=options["folded"],
        length=options["length"],
        house_rules=HouseRules(**dict.fromkeys(words, True)),
        seed=options["lot"],
    )


def read_games(source: str, options: dict[str, Any]) -> SkatGames:
    """Games and their lists, with a note of what was understood."""
    from ludometer.read.skat_games import read_skat_games

    found = read_skat_games(source, rules=list_rules(options), skip_damaged=options["skip_damaged"])
    _tell(found)
    return found


def _tell(found: SkatGames) -> None:
    """What was understood of a file."""
    if found.n_games is None:
        note(f"{found.name}: results of {found.n_series:,} series")
        return
    left = f"; {found.n_left_out:,} games are in no list that counts" if found.n_left_out else ""
    folded = f", {found.n_folded:,} folded" if found.n_folded else ""
    note(f"{found.name}: {found.format}, {found.n_games:,} games{folded}, {found.n_series:,} lists{left}")
    if found.damaged:
        shown = "; ".join(f"line {fault.line:,}: {fault.reason}" for fault in found.damaged[:_LINES])
        note(f"{len(found.damaged):,} damaged records were skipped: {shown}")


def chance_of(options: dict[str, Any], text: str | None) -> tuple[ChanceFactors | None, Strength | None]:
    """Chance factors and the strength that i1 compares hands by."""
    from ludometer.skat.list_chance import parse_factors
    from ludometer.skat.winning import WinningModel

    strength = WinningModel.load(options["model"]).predict if options["model"] else None
    factors = parse_factors(text, lost=options["lost"]) if text else None
    return (None if factors is None or not (factors.hand or factors.mean_value or factors.deal) else factors), strength


def write_series(record: SeriesRecord, path: Path) -> None:
    """The series as a match file."""
    from ludometer.report.files import write_matches

    write_matches(iter([record.matches]), path, by_seat=True)
    note(f"wrote {len(record):,} series as matches to {path}")


def data_of(found: SkatGames) -> dict[str, Any]:
    """The data block of the JSON documents."""
    games = found.n_games is not None
    return {
        "format": found.format,
        "series": found.n_series,
        "games": found.n_games,
        "folded": found.n_folded if games else None,
        "left_out": found.n_left_out if games else None,
    }


def _print_sheets(sheets: Any, differences: Any, options: dict[str, Any], *, totals: bool) -> None:
    from ludometer.report.skat_text import describe_difference, sheet_table, show
    from ludometer.report.skat_words import phrase
    from ludometer.report.text import printable

    language = options["language"]
    labels = sheets["series"].unique(maintain_order=True).to_list()
    for label in labels[: options["top"]]:
        click.echo(printable(f"{phrase('series', language)} {label}"))
        click.echo(show(sheet_table(sheets.filter(series=label), language, has_totals=totals)) + "\n")
    if len(labels) > options["top"]:
        click.echo(phrase("and more", language, n=f"{len(labels) - options['top']:,}"))
    if not labels:
        note("no list is complete: --short keep shows the shorter ones, --length N cuts other lists")
    if len(differences):
        click.echo(phrase("differ", language, n=f"{len(differences):,}"))
        for row in differences.head(_LINES).iter_rows(named=True):
            click.echo(printable(describe_difference(row, language)))
        if len(differences) > _LINES:
            click.echo("  " + phrase("and more", language, n=f"{len(differences) - _LINES:,}"))


def _check_targets(options: dict[str, Any], source: str, names: tuple[str, ...]) -> None:
    """Before any work: names that say a format, and none of the file that is read."""
    from ludometer.report.files import RECORDS, TABLES, check_suffix

    read = options[source]
    for name in names:
        target = options[name]
        if not target or str(target) == "-":
            continue
        if read != "-" and Path(target).resolve() == Path(read).resolve():
            raise LudometerError(f"{target} is the file that is read: write to another one")
    if options.get("matches"):
        check_suffix(options["matches"], RECORDS)
    if source == "games" and options.get("out") and "plot" not in names:
        check_suffix(options["out"], TABLES)
    if options.get("plot"):
        check_suffix(options["plot"], (".svg",))
