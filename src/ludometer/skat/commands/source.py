"""Where the Skat commands get their games and series from, and what they say of a file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from ludometer.cli.options import note, workers_of
from ludometer.errors import LudometerError

if TYPE_CHECKING:
    from ludometer.ratings.scores.record import SeriesRecord
    from ludometer.skat.reading.games import ListRules, SkatGames

_LINES = 5
_HOUSE_RULES = ("kontra", "bock", "ramsch")


def list_rules(options: dict[str, Any]) -> ListRules:
    """How games become lists, by the options."""
    from ludometer.skat.reading.games import ListRules
    from ludometer.skat.rules.house_rules import HouseRules

    if "scoring" not in options:
        return ListRules(short="keep")
    words = [word.strip().casefold() for word in (options["house_rules"] or "").split(",") if word.strip()]
    odd = [word for word in words if word not in _HOUSE_RULES]
    if odd:
        raise LudometerError(f"--house-rules {odd[0]}: write some of {', '.join(_HOUSE_RULES)}")
    return ListRules(
        system=options["scoring"],
        by=options["substitutes"],
        points=options["points"],
        short=options["short"],
        folded=options["folded"],
        length=options["length"],
        house_rules=HouseRules(**dict.fromkeys(words, True)),
        seed=options["lot"],
        copies=options["copies"],
    )


def read_games(source: str, options: dict[str, Any]) -> SkatGames:
    """Games and their lists, with a note of what was understood."""
    from ludometer.skat.reading.games import read_skat_games

    found = read_skat_games(
        source, rules=list_rules(options), skip_damaged=options["skip_damaged"], workers=workers_of(options)
    )
    _tell(found)
    return found


def load_series(options: dict[str, Any], *, with_records: bool) -> tuple[SeriesRecord, SkatGames | None]:
    """The series of a file, and its games if it has any; `with_records` refuses a file without cards."""
    from ludometer.skat.reading.games import is_series_table
    from ludometer.skat.reading.series import read_series_record

    source = options["series"]
    # a wrong rule is one in a file without games too
    list_rules(options)
    if not is_series_table(source):
        games = read_games(source, options)
        if with_records and games.records is None:
            raise LudometerError(f"{games.name}: chance factors need game records with cards (ISS records, xskat logs)")
        return games.to_record(), games
    if with_records:
        raise LudometerError(f"{source}: chance factors need game records with cards, not results of series")
    record = read_series_record(source)
    note(f"{source}: {len(record):,} series of {len(record.matches.players):,} players")
    return record, None


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


def check_targets(options: dict[str, Any], source: str, names: tuple[str, ...]) -> None:
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
    if source == "games" and options.get("out"):
        check_suffix(options["out"], (".json",) if "plot" in names else TABLES)
    if options.get("plot"):
        check_suffix(options["plot"], (".svg",))


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
