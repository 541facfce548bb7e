"""ludometer compile: compile the kernels ahead of the first run."""

from __future__ import annotations

import contextlib
import importlib
import tempfile
from io import StringIO
from pathlib import Path

import click

from ludometer.cli.screen import following, listen, note
from ludometer.errors import LudometerError
from ludometer.extensions import COMMANDS, find_extensions
from ludometer.progress import Progress, Stage

_GAMES = [("Ann", "Ben", "1-0"), ("Ben", "Cem", "1/2-1/2"), ("Cem", "Ann", "0-1"), ("Ann", "Ben", "0-1")]

FILES = {
    "games.pgn": "\n".join(
        f'[White "{white}"]\n[Black "{black}"]\n[Result "{result}"]\n[Date "2024.01.0{day}"]\n\n1. e4 e5 {result}\n'
        for day, (white, black, result) in enumerate(_GAMES, 1)
    ),
    "goals.csv": "home,away,home_score,away_score\nAnn,Ben,3,1\nBen,Cem,2,2\nCem,Ann,0,1\nAnn,Ben,1,2\n",
    "series.csv": "match,player,score\n1,Ann,900\n1,Ben,700\n1,Cem,650\n2,Ann,500\n2,Ben,820\n2,Cem,300\n",
    # two divisions that hardly meet
    "divisions.csv": "player_1,player_2,score_1\n"
    + "".join(
        f"{division}{one},{'a' if one == other == 0 else division}{other + 1},{(one * other + turn) % 3 / 2}\n"
        for turn in range(5)
        for division in "ab"
        for one in range(12)
        for other in range(one, 12)
    ),
}
"""Tiny files that rehearsals read."""

_SYSTEMS = (
    *("best-fit", "dynamic", "dynamic-shrinking", "elo", "elo:share=0.8", "glicko2", "glicko2:period=match", "ics"),
    *("smith", "static"),
)

REHEARSALS: dict[str, float] = {
    "simulate strengths --players 12 --matches 400 --draws 0.2 --out pairs.csv": 1,
    "simulate strengths --players 60 --matches 200 --out sparse.csv": 1,
    "simulate deterministic --players 12 --matches 200 --per-match 4 --x 60 --out seats.csv": 2,
    "simulate league --out league.csv": 2,
    "measure pairs.csv --replicates 19": 19,
    "measure sparse.csv --replicates 19": 3,
    "measure divisions.csv --replicates 19": 3,
    "measure seats.csv --replicates 19 --prizes linear": 19,
    "measure seats.csv --replicates 19": 2,
    "measure pairs.csv --ridge cv --luck-draws 0 --replicates 19": 1,
    "rate pairs.csv --history --ranks": 8,
    "rate seats.csv": 13,
    **dict.fromkeys((f"rate pairs.csv --system {system}" for system in _SYSTEMS), 1.0),
    "rate seats.csv --system elo": 1,
    "rate series.csv --system series-elo --keep score": 2,
    "rate games.pgn": 7,
    "rate games.pgn --system federation": 2,
    "rate games.pgn --system dynamic:retire=50": 1,
    "rate goals.csv": 1,
    "evaluate pairs.csv": 2,
    "evaluate seats.csv": 1,
    "predict pairs.csv 1 2": 1,
    "predict seats.csv 1 2 3": 1,
    "advise pairs.csv": 1,
    "arena pairs.csv": 1,
    "noise pairs.csv": 1,
    "learn pairs.csv": 1,
}
"""Commands that use the kernels between them, on these files or on one that an earlier command wrote, and about how
many seconds they take where nothing is compiled yet."""


@click.command("compile")
def command() -> None:
    """Compile the kernels for this machine, so that no later run has to wait for it.

    Without this command a kernel is compiled when it is first needed. Compiled kernels are kept in the user's cache
    folder; NUMBA_CACHE_DIR names another.

    \b
    ludometer compile
    """
    listen()
    from ludometer.kernels.runtime.compile import is_kept, n_compiled

    # with a kernel it shows whether it can be kept
    importlib.import_module("ludometer.kernels.systems.elo")
    if not is_kept():
        raise LudometerError(
            "no folder for compiled kernels is writable: they are compiled in each run; name one by NUMBA_CACHE_DIR"
        )
    rehearsals, files = dict(REHEARSALS), dict(FILES)
    for reference in find_extensions(COMMANDS).values():
        module = importlib.import_module(reference.partition(":")[0])
        rehearsals |= getattr(module, "REHEARSALS", {})
        files |= getattr(module, "REHEARSAL_FILES", {})
    with following() as shown:
        failed = rehearse(rehearsals, files, shown or Progress())
    note(*(f"not compiled ahead: what {line!r} needs ({why})" for line, why in failed.items()))
    note(f"{n_compiled():,} kernels compiled and kept for later runs" if n_compiled() else "all kernels were there")


def rehearse(rehearsals: dict[str, float], files: dict[str, str], progress: Progress) -> dict[str, str]:
    """Run commands on tiny files in a folder that is deleted afterwards; those that failed, and why."""
    from ludometer.cli import cli

    failed = {}
    progress.plan([Stage(line, seconds) for line, seconds in rehearsals.items()])
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        for name, content in files.items():
            Path(name).write_text(content, encoding="utf-8")
        for line in rehearsals:
            # what they print is of no interest
            said = StringIO()
            with progress.stage(line), contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
                try:
                    cli.main(line.split(), prog_name="ludometer", standalone_mode=False)
                except (LudometerError, click.ClickException) as error:
                    failed[line] = str(error)
    return failed
