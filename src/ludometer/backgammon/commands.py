"""ludometer backgammon: skill and luck of matches apart, by GNU Backgammon; and matches that it plays itself."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ludometer.cli.options import (
    InOrder,
    command_line,
    counting,
    html_option,
    json_option,
    listen,
    note,
    out_path,
    seed_option,
)
from ludometer.errors import LudometerError
from ludometer.programs import Program

if TYPE_CHECKING:
    from ludometer.backgammon.play import GradedPlayer


PROGRAMS = (Program("gnubg", "backgammon analyse and play", ("--version",)),)


@click.group("backgammon", short_help="Skill and luck of backgammon matches apart, by GNU Backgammon.", cls=InOrder)
def command() -> None:
    """Backgammon: how well each side played and how lucky it was, decision by decision and roll by roll.

    analyse takes matches apart; play lets GNU Backgammon play matches with itself. Both need the program gnubg (on
    Debian: apt-get install gnubg).

    \b
    ludometer backgammon analyse final.mat
    """


_gnubg_option = click.option(
    "--gnubg", default="gnubg", show_default=True, metavar="PROGRAM", help="GNU Backgammon: its name or its path."
)
_timeout_option = click.option(
    "--timeout", type=click.FloatRange(0, min_open=True), default=3600, show_default=True, metavar="SECONDS",
    help="For one match, or one batch of 20 that it plays; then gnubg counts as hanging.",
)  # fmt: skip


@command.command("analyse", short_help="Skill and luck of matches apart.")
@click.argument("file", nargs=-1, required=True)
@click.option(
    "--plies", type=click.IntRange(0, 4), default=2, show_default=True, metavar="N", help="Plies that it looks ahead."
)
@click.option(
    "--luck-plies", type=click.IntRange(0, 4), default=0, show_default=True, metavar="N",
    help="The same for the luck of each roll.",
)  # fmt: skip
@click.option(
    "--decisions", type=click.Choice(["all", "chequer", "cube"]), default="all", show_default=True,
    help="Which decisions count for skill.",
)  # fmt: skip
@click.option("--unfinished", is_flag=True, help="Take matches that are not over, too.")
@click.option(
    "--level", type=click.FloatRange(0, 1, min_open=True, max_open=True), default=0.95, show_default=True,
    metavar="SHARE", help="Of the intervals.",
)  # fmt: skip
@click.option(
    "--min-games", type=click.IntRange(2), default=4, show_default=True, metavar="N",
    help="With fewer a player gets no interval.",
)  # fmt: skip
@click.option(
    "--replicates", type=click.IntRange(2), default=1000, show_default=True, metavar="N",
    help="Draws for the intervals.",
)  # fmt: skip
@seed_option
@click.option("--jobs", type=click.IntRange(1), default=1, show_default=True, metavar="N", help="Matches at a time.")
@click.option("--cache", metavar="FILE", help="Where analyses are kept.  [default: the user's cache folder]")
@_gnubg_option
@_timeout_option
@click.option(
    "--moves", metavar="FILE", callback=out_path, help="Write all decisions and rolls as a table: .csv or .parquet."
)
@html_option
@json_option
def analyse(**options: Any) -> None:
    """Take skill and luck of the matches of FILE apart: what each decision gave away, what each roll brought.

    FILE is a match or a session for money as .mat (most programs write it), .sgf (GNU Backgammon) or .sgg (GamesGrid),
    plain or packed. A match that was analysed once is not analysed again.

    \b
    ludometer backgammon analyse final.mat
    ludometer backgammon analyse season/*.mat --jobs 2 --html report.html
    ludometer backgammon analyse session.sgf --plies 0 --moves moves.csv
    """
    listen()
    from ludometer.backgammon.cache import default_path
    from ludometer.backgammon.matches import Evaluator, analyse_matches
    from ludometer.backgammon.reading import read_match_records
    from ludometer.backgammon.report.documents import skill_document, skill_text
    from ludometer.backgammon.skill import measure_backgammon
    from ludometer.parallel import Workers
    from ludometer.report.files import TABLES, check_suffix, write_json

    _check_targets(options)
    if options["moves"]:
        check_suffix(options["moves"], TABLES)
    records = read_match_records(options["file"])
    with counting("analyse", "matches", len(records)) as on_done:
        matches = analyse_matches(
            records,
            evaluator=Evaluator(options["plies"], options["luck_plies"]),
            gnubg=options["gnubg"],
            timeout=options["timeout"],
            cache=options["cache"] or default_path(),
            unfinished=options["unfinished"],
            workers=Workers(options["jobs"]),
            on_done=on_done,
        )
    note(*(f"{match.name}: not over, taken as far as it goes" for match in matches if not match.is_over))
    found = measure_backgammon(
        matches,
        decisions=options["decisions"],
        level=options["level"],
        replicates=options["replicates"],
        min_games=options["min_games"],
        seed=options["seed"],
    )
    if options["json_file"] != "-":
        click.echo(skill_text(found))
    if options["json_file"]:
        write_json(skill_document(found) | {"provenance": _provenance(found.provenance)}, options["json_file"])
    if options["moves"]:
        import polars as pl

        from ludometer.report.files import write_frame

        write_frame(pl.concat([match.to_frame() for match in matches]), options["moves"])
        note(f"wrote {options['moves']}")
    if options["html"]:
        from ludometer.backgammon.report.page import write_backgammon_page

        write_backgammon_page(matches, found, options["html"], command=command_line())
        note(f"wrote {options['html']}")


@command.command("play", short_help="Let GNU Backgammon play matches.")
@click.option(
    "--player", "players", multiple=True, metavar="NAME[=PLIES[:NOISE]]",
    help="A player: plies of looking ahead (0 to 2) and noise on its estimates (0 to 1). Give it twice or more; "
    "without any, a ladder of eight at 0 plies plays.",
)  # fmt: skip
@click.option(
    "--matches", type=click.IntRange(1), default=100, show_default=True, metavar="N", help="Number of matches."
)
@click.option(
    "--length", type=click.IntRange(0, 64), default=1, show_default=True, metavar="N",
    help="Points to win; 0: one game for money.",
)  # fmt: skip
@seed_option
@click.option(
    "--jobs", type=click.IntRange(1), default=1, show_default=True, metavar="N",
    help="Programs at work; several times the number of cores pay, since gnubg waits between turns.",
)  # fmt: skip
@_gnubg_option
@_timeout_option
@click.option("--records", metavar="FOLDER", help="Also write each match to a file in this folder.")
@click.option(
    "--format", "record_format", type=click.Choice(["mat", "sgf"]), default="mat", show_default=True,
    help="Of these files.",
)  # fmt: skip
@click.option(
    "--out", required=True, callback=out_path, metavar="FILE",
    help="Results to write: .csv, .parquet or .jsonl with player_1, player_2, score_1.",
)  # fmt: skip
@json_option
def play(**options: Any) -> None:
    """Let GNU Backgammon play matches with itself, between players of known settings.

    measure and rate read what --out writes. All pairs meet round by round, in an order that the seed draws.

    \b
    ludometer backgammon play --matches 200 --jobs 8 --out backgammon.csv
    ludometer backgammon play --player strong=2 --player weak=0:0.05 --length 5 --records games --out results.csv
    """
    listen()
    from ludometer.backgammon.play import LADDER, play_matches
    from ludometer.backgammon.report.documents import play_document
    from ludometer.parallel import Workers
    from ludometer.report.files import RECORDS, check_suffix, replacing, write_json, write_matches

    check_suffix(options["out"], RECORDS)
    folder = _folder(options["records"])
    players = [_player(text) for text in options["players"]] or LADDER
    with counting("play", "matches", options["matches"]) as on_done:
        played = play_matches(
            players,
            n_matches=options["matches"],
            length=options["length"],
            seed=options["seed"],
            records=options["record_format"] if folder else None,
            gnubg=options["gnubg"],
            timeout=options["timeout"],
            workers=Workers(options["jobs"]),
            on_done=on_done,
        )
    write_matches([played.matches], options["out"])
    note(f"wrote {options['out']}")
    if folder:
        folder.mkdir(exist_ok=True)
        for name, data in played.files.items():
            with replacing(folder / name) as draft:
                draft.write_bytes(data)
        note(f"wrote {len(played.files):,} records to {folder}")
    if options["json_file"] != "-":
        click.echo(played.summary())
    if options["json_file"]:
        document = play_document(played) | {"provenance": _provenance(played.provenance)}
        document["absent"] |= {"provenance.data": "nothing was read"}
        write_json(document, options["json_file"])


def _player(text: str) -> GradedPlayer:
    from ludometer.backgammon.play import GradedPlayer

    name, _, settings = text.partition("=")
    plies, _, noise = settings.partition(":")
    try:
        return GradedPlayer(name.strip(), int(plies or 0), float(noise or 0))
    except ValueError:
        raise LudometerError(f"--player {text}: write NAME=PLIES:NOISE, such as strong=2 or weak=0:0.05") from None


def _folder(name: str | None) -> Path | None:
    if name is None:
        return None
    path = Path(name)
    if not name.strip() or (path.exists() and not path.is_dir()):
        raise LudometerError(f"--records: {name!r} is not a folder")
    if not path.parent.is_dir():
        raise LudometerError(f"--records: there is no folder {path.parent}")
    return path


def _check_targets(options: dict[str, Any]) -> None:
    read = [Path(file).resolve() for file in options["file"] if file != "-" and "\0" not in file]
    for name in ("json_file", "html", "moves"):
        target = options[name]
        if target and str(target) != "-" and Path(target).resolve() in read:
            raise LudometerError(f"{target} is a file that is read: write to another one")


def _provenance(origin: Any) -> dict[str, Any]:
    from ludometer.report.documents import provenance_document

    return provenance_document([origin], command_line())
