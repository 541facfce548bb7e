"""What `skat sensitivity` does: ratings for every choice of chance factors and K."""

from __future__ import annotations

import math
from collections.abc import Hashable
from itertools import product
from typing import TYPE_CHECKING, Any

import click

from ludometer.cli.options import command_line, note
from ludometer.errors import LudometerError
from ludometer.skat.commands.luck import chance_of, correct_record, count_folded
from ludometer.skat.commands.source import load_series

if TYPE_CHECKING:
    from ludometer.ratings.scores.record import SeriesRecord
    from ludometer.skat.luck.chance import Strength
    from ludometer.skat.reading.games import SkatGames
    from ludometer.skat.sensitivity import Placement, Sensitivity


def show_sensitivity(options: dict[str, Any]) -> None:
    """The command `skat sensitivity`."""
    from ludometer.report.documents import provenance_document
    from ludometer.report.files import write_json
    from ludometer.skat.report.documents import sensitivity_document
    from ludometer.skat.report.studies import write_sensitivity_page
    from ludometer.skat.report.text import describe_sensitivity

    steps = parse_numbers(options["k"], "--k", ",")
    names = _factor_names(options["factors"])
    if min(steps) < 0:
        raise LudometerError(f"--k {options['k']}: write numbers from 0 up, such as 0.01,0.02")
    if not math.isfinite(options["start"]):
        raise LudometerError(f"--start {options['start']:g}: write a rating, such as 850")
    _, strength = chance_of(options, None)
    if "i3" in (options["factors"] or ""):
        options = count_folded(options)
    record, games = load_series(options, with_records=options["factors"] is not None)
    if games is None or games.records is None:
        note("results of series have no cards: the rows are those without chance factors")
    spread = measure_spread(record, games, strength, names, steps, options)
    placement = _place(record, options) if options["targets"] else None
    if options["json_file"] != "-":
        click.echo(describe_sensitivity(spread, placement, options["start"], options["language"]))
    if options["html"]:
        write_sensitivity_page(
            spread, placement, options["html"], name=_short(options["series"]), start=options["start"],
            command=command_line(), language=options["language"],
        )  # fmt: skip
        note(f"wrote {options['html']}")
    if options["json_file"]:
        body = sensitivity_document(spread, factors=names, start=options["start"], placement=placement)
        origin = provenance_document([spread.provenance], command_line())
        write_json(body | {"provenance": origin}, options["json_file"])


def measure_spread(
    record: SeriesRecord,
    games: SkatGames | None,
    strength: Strength | None,
    names: tuple[str, ...],
    steps: tuple[float, ...],
    options: dict[str, Any],
) -> Sensitivity:
    """Table VIII: with game records every choice of the factors, else none of them."""
    from ludometer.ratings.scores.elo import SeriesElo
    from ludometer.skat.luck.chance import ChanceFactors
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
    return measure_sensitivity(records, k=steps, system=system, names=names, min_series=max(options["min_series"], 1))


def parse_numbers(text: str, option: str, sign: str) -> tuple[float, ...]:
    """Numbers with a sign between them.

    >>> parse_numbers("0.01, 0.02", "--k", ",")
    (0.01, 0.02)
    """
    try:
        found = tuple(float(part) for part in text.split(sign))
    except ValueError:
        found = (math.nan,)
    if not all(map(math.isfinite, found)):
        raise LudometerError(f"{option} {text}: write numbers with {sign!r} between them")
    return found


def _place(record: SeriesRecord, options: dict[str, Any]) -> Placement:
    from ludometer.ratings.scores.elo import SeriesElo
    from ludometer.skat.sensitivity import choose_step_and_start

    ends = parse_numbers(options["targets"], "--targets", ":")
    if len(ends) != 2 or not ends[0] > ends[1]:
        raise LudometerError(f"--targets {options['targets']}: write two ratings, the good first, such as 1100:650")
    least = max(options["min_series"], 2)
    system = SeriesElo(form=options["form"])
    return choose_step_and_start(record, good=ends[0], weak=ends[1], min_series=least, system=system)


def _factor_names(text: str | None) -> tuple[str, ...]:
    from ludometer.skat.luck.list_chance import FACTORS

    words = tuple(dict.fromkeys(word.strip() for word in (text or "i1,i2").split(",")))
    odd = [word for word in words if word not in FACTORS]
    if odd:
        raise LudometerError(f"--factors {odd[0]}: write some of {', '.join(FACTORS)}")
    return words


def _short(source: str) -> str:
    return "-" if source == "-" else source.replace("\\", "/").rsplit("/", 1)[-1]
