"""ludometer skat: list sheets, ratings of series, their sensitivity, and the winning model."""

from __future__ import annotations

from typing import Any

import click

from ludometer.cli.options import (
    InOrder,
    WordedDefault,
    add_options,
    html_option,
    json_option,
    listen,
    out_path,
    work_options,
)
from ludometer.programs import Program
from ludometer.skat.commands.source import check_targets

_SHEETS, _PLAYERS = 3, 20


PROGRAMS = (Program("xskat", "plays Skat games for the bundled record", version=None),)


@click.group("skat", short_help="Skat: list sheets, ratings of series, chance factors.", cls=InOrder)
def command() -> None:
    """Skat: score lists, rate players by their series, reduce the luck of the cards.

    Games are read from records of the International Skat Server (.sgf, .bz2), logs of xskat, or a table of a score list
    game by game; series from a table with a row a player: series, player, and score, or points, won, lost. German
    headings are understood.

    \b
    ludometer skat score games.sgf
    """


_list_options = add_options(
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
    click.option("--length", cls=WordedDefault, type=click.IntRange(1), show_default="36, of four 48", metavar="N",
                 help="Games of a list."),
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
    click.option("--copies", type=click.Choice(["merge", "keep"]), default="merge", show_default=True,
                 help="Programs in records: xskat:2 is xskat, but where both sit at one table; or each by itself."),
    click.option("--lot", type=click.IntRange(0), metavar="SEED", help="Draw lots where all tie-breaks are equal."),
)  # fmt: skip
_language = click.option(
    "--language", type=click.Choice(["en", "de"]), default="en", show_default=True, help="Words of tables and report."
)
_anonymise = click.option(
    "--anonymise",
    is_flag=True,
    help="Players are called P-1, P-2, in a random order (--seed) everywhere; names of files are not written either.",
)
_work = work_options("Threads that read records.", "read")
_matches = click.option(
    "--matches",
    callback=out_path,
    metavar="FILE",
    help="Write the series as matches (match, player, place), so that ludometer measure can say how much is luck.",
)
_chance = add_options(
    click.option(
        "--chance",
        metavar="i1,i2,i3",
        help="From game records: i1 hand, i2 mean value, i3 deal (the cleanest; i3:table sees all three hands). From "
        "series of any game: position, the column of how strong the start was (position:quotient divides by it).",
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


@command.command("score", short_help="List sheets from games.")
@click.argument("games")
@_list_options
@_language
@click.option("--top", type=click.IntRange(1), default=_SHEETS, show_default=True, metavar="N", help="Sheets to print.")
@click.option("--out", callback=out_path, metavar="FILE", help="Write the series (.csv, .parquet), for skat rate.")
@_matches
@_anonymise
@_work
@html_option
@json_option
def score(**options: Any) -> None:
    """Write list sheets from GAMES: points, games won and lost, and the score of each player.

    Games recorded otherwise than by the rules are listed with the reason.

    \b
    ludometer skat score games.sgf --short keep
    ludometer skat score club-evening.csv --language de --out series.csv
    """
    listen()
    check_targets(options, "games", ("out", "matches", "html", "json_file"))
    from ludometer.skat.commands.score import score_and_write

    score_and_write(options)


@command.command("rate", short_help="Ratings by series.")
@click.argument("series")
@click.option("--k", type=click.FloatRange(0), default=0.02, show_default=True, metavar="K",
              help="Step: 0.02 remembers 50 series.")  # fmt: skip
@click.option("--start", default="800", show_default=True, metavar="RATING",
              help="A number, mean (of all scores) or first:N (of one's first N).")  # fmt: skip
@click.option("--form", type=click.Choice(["proportional", "additive"]), default="proportional", show_default=True,
              help="E = R_i S / R, or E = R_i + (S - R) / n.")  # fmt: skip
@click.option("--newcomer-k", type=click.FloatRange(0), metavar="K", help="Step of a newcomer, which falls to --k.")
@click.option("--newcomer-series", type=click.IntRange(1), default=20, show_default=True, metavar="N",
              help="Over so many series.")  # fmt: skip
@click.option("--floor", type=float, metavar="RATING", help="No rating falls below.")
@click.option("--since", metavar="DATE", help="List updates, and the season, from a date (or series) on.")
@click.option("--ratings", metavar="FILE", help="Ratings that stood before --since: player, rating, perhaps series.")
@click.option("--titles", metavar="1100=Meister,...", help="Titles by the rating that they need.")
@click.option("--min-series", type=click.IntRange(0), default=0, show_default=True, metavar="N",
              help="Season table: least series.")  # fmt: skip
@click.option("--min-share", type=click.FloatRange(0, 1), default=0, show_default=True, metavar="SHARE",
              help="Season table: least share of the games of who played most (ISPA 0.75).")  # fmt: skip
@click.option("--dropped", type=click.IntRange(0), default=0, show_default=True, metavar="N",
              help="Season table: worst lists left out.")  # fmt: skip
@click.option("--teams", metavar="FILE", help="Table of player, team: also a table of team points.")
@click.option("--sensitivity", is_flag=True, help="Also the table of K and chance factors.")
@click.option("--draw", metavar="NAME,...", help="Players in the charts of the report.  [default: the five best]")
@click.option("--explain", metavar="NAME", help="Also print every update of this player.")
@click.option(
    "--top", type=click.IntRange(1), default=_PLAYERS, show_default=True, metavar="N", help="Players to print."
)
@_chance
@_list_options
@_language
@_matches
@_anonymise
@_work
@html_option
@json_option
def rate(**options: Any) -> None:
    """Rate players by their series, each update with what was expected.

    SERIES is a table of results (of any game with scores), or games, which are scored first.

    \b
    ludometer skat rate series.csv --k 0.02 --start 800 --html ratings.html
    ludometer skat rate games.sgf.bz2 --chance i3 --start mean
    ludometer skat rate saison.csv --language de --titles 1100=Meister,1000=Experte --min-share 0.75
    """
    listen()
    check_targets(options, "series", ("matches", "html", "json_file"))
    from ludometer.skat.commands.rate import rate_and_write

    rate_and_write(options)


@command.command("sensitivity", short_help="How K and chance factors move ratings.")
@click.argument("series")
@click.option("--k", default="0.01,0.02,0.04,0.08", show_default=True, metavar="K,...", help="Steps.")
@click.option("--start", type=float, default=850, show_default=True, metavar="RATING", help="Start rating.")
@click.option("--form", type=click.Choice(["proportional", "additive"]), default="proportional", show_default=True,
              help="Form of the expectation.")  # fmt: skip
@click.option("--factors", metavar="i1,i2,i3", help="Chance factors to switch on and off.  [default: i1,i2 of records]")
@click.option(
    "--targets", metavar="GOOD:WEAK", help="Also the K and start that bring the best and last tenth there: 1100:650."
)
@click.option("--min-series", type=click.IntRange(1), default=1, show_default=True, metavar="N",
              help="Players with fewer do not count.")  # fmt: skip
@click.option("--lost", type=click.Choice(["divide", "keep", "multiply"]), default="divide", show_default=True,
              help="What i1 does to lost games.")  # fmt: skip
@click.option("--model", metavar="FILE", help="Winning model for i1.")
@_list_options
@_language
@_work
@html_option
@json_option
def sensitivity(**options: Any) -> None:
    """Show how ratings spread for chance factors and K: Max, Mean, Min, and what the top 10, 25, 75, 90% reach.

    \b
    ludometer skat sensitivity games.sgf --k 0.01,0.02,0.05
    """
    listen()
    check_targets(options, "series", ("html", "json_file"))
    from ludometer.skat.commands.sensitivity import show_sensitivity

    show_sensitivity(options)


@command.command("fit", short_help="Fit the declarer's chance to win.")
@click.argument("games")
@click.option("--out", required=True, callback=out_path, metavar="FILE", help="Model to write (.json), for --model.")
@click.option("--ridge", type=click.FloatRange(0), default=1, show_default=True, metavar="LAMBDA",
              help="Penalty on the slopes.")  # fmt: skip
@click.option("--plot", callback=out_path, metavar="FILE", help="Write the calibration on games not used (.svg).")
@click.option("--skip-damaged", is_flag=True, help="Go on without damaged records, which are listed.")
@_language
@_work
@html_option
@json_option
def fit(**options: Any) -> None:
    """Fit the declarer's chance to win on the game records of GAMES, by kind of game.

    A tenth of the games is kept aside to say how good such a model is; the one that is written rests on all.

    \b
    ludometer skat fit games.sgf.bz2 --out model.json
    ludometer skat rate games.sgf.bz2 --chance i1 --model model.json
    """
    listen()
    check_targets(options, "games", ("out", "plot", "html", "json_file"))
    from ludometer.skat.commands.fit import fit_and_write

    fit_and_write(options)
