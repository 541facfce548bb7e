"""A UCI engine of a few lines, whose evaluation is a checksum of the position, and which fails on demand."""

from __future__ import annotations

import stat
import sys
from pathlib import Path

_PROGRAM = r"""#!{python}
import os, sys, time, zlib
log = open({log!r}, "a")
flaw, marker = {flaw!r}, {marker!r}
asked = 0
print("id name Fake 1.0", flush=True)
for line in sys.stdin:
    line = line.strip()
    log.write(line + "\n"); log.flush()
    if line == "uci":
        print("option name Hash type spin default 16 min 1 max 1024")
        print("option name MultiPV type spin default 1 min 1 max 500")
        print("option name Clear Hash type button")
        print("option name EvalFile type string default nn-fake.nnue")
        print("uciok", flush=True)
    elif line.startswith("setoption name MultiPV value "):
        n_lines = int(line.split()[-1])
    elif line == "isready":
        print("readyok", flush=True)
    elif line == "ucinewgame":
        carried = 0
    elif line.startswith("position"):
        position = line
    elif line.startswith("go"):
        asked += 1
        if asked > 5 and flaw != "none" and (flaw.endswith("always") or not os.path.exists(marker)):
            open(marker, "w").close()
            if flaw.startswith("hang"):
                time.sleep(3600)
            os._exit(3)
        time.sleep({delay})
        carried = zlib.crc32(position.encode(), carried)
        for k in range(n_lines):
            value = carried % 199 - 99 - 7 * k
            print(f"info depth 1 multipv {{k + 1}} score cp {{value}} nodes 9 pv a{{k + 1}}a2 b1b2")
        print("bestmove a1a2", flush=True)
    elif line == "quit":
        break
"""


def write_engine(folder: Path, *, flaw: str = "none", delay: float = 0.0) -> Path:
    """An engine in this folder; `flaw` is none, crash, crash always, hang or hang always, from the sixth search on.

    What it is told stands in the file log.
    """
    program = folder / "fake"
    text = _PROGRAM.format(
        python=sys.executable, log=str(folder / "log"), flaw=flaw, marker=str(folder / "failed"), delay=delay
    )
    program.write_text(text)
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    return program


def starts(folder: Path) -> int:
    """How often it was started."""
    log = folder / "log"
    return log.read_text().splitlines().count("uci") if log.exists() else 0
