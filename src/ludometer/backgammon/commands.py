"""ludometer backgammon: skill and luck of matches, by GNU Backgammon; and matches that it plays itself."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ludometer.cli.declared import InOrder, OutFile, argument, group, option, takes
from ludometer.cli.screen import counting, listen, note
from ludometer.cli.shared import JsonOption, OutputOptions, SeedOption, check_targets
from ludometer.errors import LudometerError
from ludometer.moves.options import IntervalOptions, choice, count, replicates_option, seconds
from ludometer.programs import Program

if TYPE_CHECKING:
    from ludometer.backgammon.play import GradedPlayer
    from ludometer.backgammon.skill import DecisionChoice

PROGRAMS = (Program("gnubg", "backgammon analyse and play", ("--version",)),)


@click.group("backgammon", short_help="Separate skill and luck in backgammon, by GNU Backgammon.", cls=InOrder)
def command() -> None:
    """Measure how well each side played backgammon and how lucky it was, decision by decision and roll by roll.

    analyse separates skill and luck in matches; play lets GNU Backgammon play matches with itself. Both need the
    program gnubg (on Debian: apt-get install gnubg).

    \b
    ludometer backgammon analyse final.mat
    """


@dataclass(frozen=True)
class GnubgOptions:
    """Which GNU Backgammon, and how long it may take."""

    gnubg: str = option("--gnubg", default="gnubg", metavar="PROGRAM", help="Name or path of GNU Backgammon.")
    timeout: float = seconds(
        "--timeout", "Time for one match (or a batch of 20 to play), after which gnubg counts as hanging.", 3600
    )


@dataclass(frozen=True)
class AnalyseOptions(IntervalOptions):
    """Options of `backgammon analyse`."""

    file: tuple[str, ...] = argument(nargs=-1)
    plies: int = count("--plies", "Plies to look ahead for decisions.", 2, least=0, most=4)
    luck_plies: int = count("--luck-plies", "Plies to look ahead for the luck of each roll.", 0, least=0, most=4)
    decisions: DecisionChoice = choice(
        "--decisions", ["all", "chequer", "cube"], "Decisions that count for skill.", "all"
    )
    unfinished: bool = option("--unfinished", is_flag=True, help="Accept matches that are not over.")
    replicates: int = replicates_option()
    jobs: int = count("--jobs", "Matches to analyse at a time.", 1)
    cache: Path | None = option(
        "--cache",
        type=Path,
        metavar="FILE",
        help="File that keeps the analyses.  [default: in the user's cache folder]",
    )
    program: GnubgOptions = group(GnubgOptions)
    moves: Path | None = option(
        "--moves",
        type=OutFile(".csv", ".parquet"),
        metavar="FILE",
        help="Write all decisions and rolls as a table: .csv or .parquet.",
    )
    out: OutputOptions = group(OutputOptions)


@command.command("analyse", short_help="Separate skill and luck in matches.")
@takes(AnalyseOptions)
def analyse(options: AnalyseOptions) -> None:
    """Separate skill and luck in the matches of FILE: what each decision gave away, what each roll brought.

    FILE is a match or a money session as .mat (most programs write it), .sgf (GNU Backgammon) or .sgg (GamesGrid),
    plain or packed. No match is analysed twice.

    \b
    ludometer backgammon analyse final.mat
    ludometer backgammon analyse season/*.mat --jobs 2 --html report.html
    ludometer backgammon analyse session.sgf --plies 0 --moves moves.csv
    """
    listen()
    from ludometer.backgammon.analysis import Evaluator, analyse_matches, default_path
    from ludometer.backgammon.records import read_match_records
    from ludometer.backgammon.report import skill_page, skill_text
    from ludometer.backgammon.skill import measure_backgammon
    from ludometer.parallel import Workers
    from ludometer.report.presenter import present

    check_targets(options.file, options.out.json_file, options.out.html, options.moves)
    records = read_match_records(options.file)
    with counting("analyse", "matches", len(records)) as on_done:
        matches = analyse_matches(
            records,
            evaluator=Evaluator(options.plies, options.luck_plies),
            gnubg=options.program.gnubg,
            timeout=options.program.timeout,
            cache=options.cache or default_path(),
            unfinished=options.unfinished,
            workers=Workers(options.jobs),
            on_done=on_done,
        )
    note(*(f"{match.name}: not over; only the moves so far are used" for match in matches if not match.is_over))
    intervals = replace(options.intervals, replicates=options.replicates)
    found = measure_backgammon(matches, decisions=options.decisions, intervals=intervals)
    output = options.out.output
    present(
        found,
        output,
        text=lambda: skill_text(found),
        page=lambda: skill_page(matches, found, command=output.command),
    )
    if options.moves:
        import polars as pl

        from ludometer.report.files import write_frame

        write_frame(pl.concat([match.to_frame() for match in matches]), options.moves)
        note(f"wrote {options.moves}")
    if options.out.html:
        note(f"wrote {options.out.html}")


@dataclass(frozen=True)
class PlayOptions(SeedOption):
    """Options of `backgammon play`."""

    players: tuple[str, ...] = option(
        "--player",
        multiple=True,
        metavar="NAME[=PLIES[:NOISE]]",
        help="A player: plies to look ahead (0 to 2) and noise on its estimates (0 to 1). Repeat for each player; "
        "without any, a ladder of eight players at 0 plies plays.",
    )
    matches: int = count("--matches", "Number of matches.", 100)
    length: int = count("--length", "Points to win a match; 0: one game for money.", 1, least=0, most=64)
    jobs: int = count(
        "--jobs", "Number of processes; use several times the number of cores, since gnubg waits between turns.", 1
    )
    program: GnubgOptions = group(GnubgOptions)
    records: str | None = option(
        "--records", metavar="FOLDER", help="Also write the record of each match to this folder."
    )
    record_format: str = choice("--format", ["mat", "sgf"], "Format of these records.", "mat")
    results: Path = option(
        "--out",
        required=True,
        type=OutFile(".parquet", ".csv", ".jsonl"),
        metavar="FILE",
        help="Write the results: .csv, .parquet or .jsonl with player_1, player_2, score_1.",
    )
    out: JsonOption = group(JsonOption)


@command.command("play", short_help="Let GNU Backgammon play matches.")
@takes(PlayOptions)
def play(options: PlayOptions) -> None:
    """Let GNU Backgammon play matches with itself, between players with known settings.

    measure and rate read what --out writes. All pairs meet round by round, in a random order given by the seed.

    \b
    ludometer backgammon play --matches 200 --jobs 8 --out backgammon.csv
    ludometer backgammon play --player strong=2 --player weak=0:0.05 --length 5 --records games --out results.csv
    """
    listen()
    from ludometer.backgammon.play import LADDER, play_matches
    from ludometer.parallel import Workers
    from ludometer.report.files import write_matches
    from ludometer.report.presenter import present
    from ludometer.writing import replacing

    folder = _check_folder(options.records)
    players = [_parse_player(text) for text in options.players] or LADDER
    with counting("play", "matches", options.matches) as on_done:
        played = play_matches(
            players,
            n_matches=options.matches,
            length=options.length,
            seed=options.seed,
            records=options.record_format if folder else None,
            gnubg=options.program.gnubg,
            timeout=options.program.timeout,
            workers=Workers(options.jobs),
            on_done=on_done,
        )
    write_matches([played.matches], options.results)
    note(f"wrote {options.results}")
    if folder:
        folder.mkdir(exist_ok=True)
        for name, data in played.files.items():
            with replacing(folder / name) as draft:
                draft.write_bytes(data)
        note(f"wrote {len(played.files):,} records to {folder}")
    present(played, options.out.output)


def _parse_player(text: str) -> GradedPlayer:
    from ludometer.backgammon.play import GradedPlayer

    name, _, settings = text.partition("=")
    plies, _, noise = settings.partition(":")
    try:
        return GradedPlayer(name.strip(), int(plies or 0), float(noise or 0))
    except ValueError:
        raise LudometerError(f"--player {text}: write NAME=PLIES:NOISE, such as strong=2 or weak=0:0.05") from None


def _check_folder(name: str | None) -> Path | None:
    if name is None:
        return None
    path = Path(name)
    if not name.strip() or (path.exists() and not path.is_dir()):
        raise LudometerError(f"--records: {name!r} is not a folder")
    if not path.parent.is_dir():
        raise LudometerError(f"--records: there is no folder {path.parent}")
    return path
