"""Options that the chess commands share, and what they mean to the library."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ludometer.cli.options import WordedDefault, add_options, seed_option
from ludometer.errors import LudometerError

if TYPE_CHECKING:
    from ludometer.chess.engine.uci import Search
    from ludometer.moves import Filters


def finite(_: click.Context, parameter: click.Parameter, value: float | None) -> float | None:
    """A number that is one: click takes nan and inf for numbers."""
    if value is not None and not math.isfinite(value):
        raise LudometerError(f"{parameter.opts[-1]} {value:g}: write a number that is finite")
    return value


search_options = add_options(
    click.option(
        "--engine", default="stockfish", show_default=True, metavar="ENGINE", help="A UCI engine: its name or its path."
    ),
    click.option(
        "--depth", cls=WordedDefault, type=click.IntRange(1), show_default="12", metavar="N",
        help="Search to this depth.",
    ),
    click.option("--nodes", type=click.IntRange(1), metavar="N", help="Search this many nodes instead."),
    click.option(
        "--lines", type=click.IntRange(1), default=1, show_default=True, metavar="N",
        help="Best moves to evaluate; 2 tell how hard a position is, at 2.6 times the cost.",
    ),
    click.option(
        "--hash", "hash_policy", type=click.Choice(["position", "game"]), default="position", show_default=True,
        help="What the engine remembers: nothing from another position, or the game so far.",
    ),
    click.option(
        "--hash-mb", type=click.IntRange(1), default=16, show_default=True, metavar="N", help="Its memory in MB."
    ),
    click.option("--option", "engine_options", multiple=True, metavar="NAME=VALUE", help="An option of the engine."),
    click.option(
        "--timeout", type=click.FloatRange(0, min_open=True), default=120, show_default=True, metavar="SECONDS",
        callback=finite, help="For one position; then the engine counts as hanging.",
    ),
)  # fmt: skip
"""How an engine searches."""

source_options = add_options(
    click.option("--cache", metavar="FILE", help="The cache that analyse filled.  [default: the user's]"),
    click.option("--comments", is_flag=True, help="Use the [%eval] comments, not the cache."),
    click.option("--engine", metavar="ENGINE", help="Of several engines in the cache: part of its name."),
    click.option("--depth", type=click.IntRange(1), metavar="N", help="Of several depths in the cache: this one."),
    click.option("--nodes", type=click.IntRange(1), metavar="N", help="Likewise, of several numbers of nodes."),
    click.option("--lines", type=click.IntRange(1), metavar="N", help="Likewise, of several numbers of lines."),
    click.option("--hash", "hash_policy", type=click.Choice(["position", "game"]), help="Likewise, of both."),
    click.option(
        "--mate-value", type=click.FloatRange(0.01), default=39, show_default=True, metavar="PAWNS", callback=finite,
        help="What a mate is worth.",
    ),
    click.option("--drop-bad-rows", is_flag=True, help="Go on without rows of a table that have faults."),
    click.option("--event", "events", multiple=True, metavar="EVENT", help="Only this event; may be repeated."),
    click.option(
        "--rename", "names", multiple=True, metavar="NAME=NAME",
        help="A player's name and the one to use instead, such as \"Kramnik,V=Kramnik, Vladimir\".",
    ),
)  # fmt: skip
"""Where evaluations are, and which of them."""

measure_options = add_options(
    click.option(
        "--skip-plies", type=click.IntRange(0), default=0, show_default=True, metavar="N",
        help="Leave out the first N plies (moves of either side).",
    ),
    click.option(
        "--window", type=click.FloatRange(0.01), metavar="PAWNS", callback=finite,
        help="Only moves from positions within so many pawns of equality.",
    ),
    click.option("--phase", type=click.Choice(["opening", "middlegame", "endgame"]), help="Only moves of this phase."),
    click.option(
        "--gap", metavar="A:B", help="Only moves where the best was A to B pawns ahead of the second (--lines 2)."
    ),
    click.option(
        "--reference", default="engine", show_default=True, metavar="engine|pooled|FILE",
        help="What players are held against: gains of 0, the gains of all, or those of games (an engine's own play).",
    ),
    click.option(
        "--level", type=click.FloatRange(0, 1, min_open=True, max_open=True), default=0.95, show_default=True,
        metavar="SHARE", help="Of the intervals.",
    ),
    click.option(
        "--min-games", type=click.IntRange(2), default=4, show_default=True, metavar="N",
        help="With fewer a player gets no interval.",
    ),
    seed_option,
    click.option(
        "--rating", "ratings", multiple=True, metavar="PLAYER=ELO", help="A known rating; goes before the file's."
    ),
)  # fmt: skip
"""Which moves count, and how sure the result is."""

engine_strength_option = click.option(
    "--engine-strength", type=float, metavar="ELO", callback=finite, help="A known strength of the engine."
)


def search_of(options: dict[str, Any]) -> Search:
    """How the engine searches, by the options."""
    from ludometer.chess.engine.uci import Search

    if options["depth"] is not None and options["nodes"] is not None:
        raise LudometerError("--depth and --nodes: give one of them")
    depth = options["depth"] if options["depth"] is not None or options["nodes"] is not None else 12
    return Search(
        depth=depth,
        nodes=options["nodes"],
        multipv=options["lines"],
        hash_mb=options["hash_mb"],
        hash_policy=options["hash_policy"],
        options=tuple(_pair(text, "--option", "NAME=VALUE, such as Threads=1") for text in options["engine_options"]),
        timeout=options["timeout"],
    )


def filters_of(options: dict[str, Any]) -> Filters:
    """Which moves count, by the options; pawns become centipawns."""
    from ludometer.moves import Filters

    window, gap = options["window"], options["gap"]
    return Filters(
        skip_plies=options["skip_plies"],
        window=None if window is None else round(100 * window),
        phase=options["phase"],
        gap=None if gap is None else _gap(gap),
    )


def ratings_of(options: dict[str, Any]) -> dict[str, float]:
    """Known ratings by name."""
    found = {}
    for text in options["ratings"]:
        name, value = _pair(text, "--rating", "PLAYER=ELO, such as Ann=2400", last=True)
        try:
            found[name] = float(value)
        except ValueError:
            found[name] = math.nan
        if not math.isfinite(found[name]):
            raise LudometerError(f"--rating {text}: write PLAYER=ELO, such as Ann=2400")
    return found


def names_of(options: dict[str, Any]) -> dict[str, str]:
    """Names to use instead, by name."""
    return dict(
        _pair(text, "--rename", 'NAME=NAME, such as "Kramnik,V=Kramnik, Vladimir"') for text in options["names"]
    )


def check_targets(options: dict[str, Any]) -> None:
    """What is written is none of what is read, and each in a file of its own; told before any work is done."""
    named = {key: options.get(key) for key in ("json_file", "html", "annotated", "out")}
    read = {Path(file).resolve() for file in options["file"]}
    targets = [Path(str(target)).resolve() for target in named.values() if target and str(target) != "-"]
    for target in targets:
        if target in read:
            raise LudometerError(f"{target} is the file that is read: write to another one")
    twice = next((target for target in targets if targets.count(target) > 1), None)
    if twice is not None:
        raise LudometerError(f"{twice}: two results cannot go into one file")


def _gap(text: str) -> tuple[float, float]:
    found = re.fullmatch(r"(\d+(?:\.\d*)?):(\d+(?:\.\d*)?)", text.strip())
    if not found:
        raise LudometerError(f"--gap {text}: write two numbers of pawns, such as 0.2:1")
    return 100 * float(found[1]), 100 * float(found[2])


def _pair(text: str, option: str, form: str, *, last: bool = False) -> tuple[str, str]:
    """What stands before and after the equals sign: the first one, or the last."""
    name, sign, value = text.rpartition("=") if last else text.partition("=")
    # an engine's option may be set to nothing
    if not sign or not name.strip() or not (value.strip() or option == "--option"):
        raise LudometerError(f"{option} {text}: write {form}")
    return name.strip(), value.strip()
