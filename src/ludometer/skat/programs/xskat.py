"""Games of three computer players of the program xskat (a Debian package), if it is installed: logs as text.

Its levels -4 to 0 differ in bidding only; the card play is the same.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from ludometer.errors import LudometerError

LEVELS = range(-4, 1)


def find_xskat() -> str | None:
    """Where the program is; None if it is not installed."""
    return shutil.which("xskat", path=os.pathsep.join((os.environ.get("PATH", os.defpath), "/usr/games")))


def play_xskat(n_games: int, levels: tuple[int, int, int], *, seed: int) -> str:
    """The log of games among three levels; the same seed gives the same games. The deal passes on after each game."""
    program = find_xskat()
    if program is None:
        raise LudometerError("xskat is not installed; on Debian: apt-get install xskat")
    if n_games < 1 or any(level not in LEVELS for level in levels):
        raise LudometerError(f"one game or more and levels from -4 to 0 are needed, not {n_games} games of {levels}")
    players = [text for seat, level in enumerate(levels, 1) for text in (f"-s{seat}", str(level))]
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "log"
        # xskat keeps its settings in the home folder: give it an empty one
        environment = {**os.environ, "HOME": folder}
        command = [program, "-lang", "english", "-auto", str(n_games), *players, "-log", str(log), "-game", "-"]
        deal = f"random_seed {seed} 0 2\n"
        run = subprocess.run(
            command, input=deal, text=True, capture_output=True, check=False, cwd=folder, env=environment
        )
        if run.returncode or not log.exists():
            raise LudometerError(f"xskat failed: {run.stderr.strip() or run.returncode}")
        return log.read_text(encoding="latin-1")
