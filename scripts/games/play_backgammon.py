"""Backgammon: GNU Backgammon against itself, looking 0 to 2 moves ahead, with more or less noise in its evaluations.

Matches to one point, so there is no doubling cube and a gammon counts like any win. GNU Backgammon finds the moves in
a Python of its own, where `gnubg_moves.py` runs; dice and moves are made there too.
"""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from shutil import which

from ladder import Ladder, Scores, Task

NOISE = tuple(round(0.0015 * step, 4) for step in range(34))
STYLES = [(2, 0.0), (1, 0.0), (1, 0.03), *((0, noise) for noise in NOISE)]
"""Moves ahead (GNU Backgammon's plies), and the SD of the noise in its evaluation of a position."""


def name(plies: int, noise: float) -> str:
    """Such as "gnubg 0-ply noise 0.05"."""
    return f"gnubg {plies}-ply" + (f" noise {noise:g}" if noise else "")


def find_gnubg() -> str | None:
    """Where the program is; None if it is not installed."""
    return which("gnubg", path=os.pathsep.join((os.environ.get("PATH", os.defpath), "/usr/games")))


def play(task: Task) -> Scores:
    """The scores of both."""
    return play_many([task])[0]


def play_many(tasks: Sequence[Task]) -> list[Scores]:
    """Matches in one run of the program."""
    program = find_gnubg()
    if program is None:
        raise SystemExit("GNU Backgammon is not installed; on Debian: apt-get install gnubg")
    with tempfile.TemporaryDirectory() as folder:
        asked, answered = Path(folder) / "asked.json", Path(folder) / "answered.json"
        asked.write_text(json.dumps([[number, *(STYLES[player] for player in seated)] for number, seated in tasks]))
        command = [program, "-t", "-q", "-r", "-s", folder, "-p", str(Path(__file__).parent / "gnubg_moves.py")]
        environment = {**os.environ, "ASKED": str(asked), "ANSWERED": str(answered)}
        run = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, env=environment, check=False)
        if not answered.exists():
            raise SystemExit(f"GNU Backgammon failed: {run.stdout.decode(errors='replace')[-500:]}")
        return [(won, 1 - won) for won in json.loads(answered.read_text())]


LADDER = Ladder("backgammon", [name(*style) for style in STYLES], play, matches=6_000, play_many=play_many)
