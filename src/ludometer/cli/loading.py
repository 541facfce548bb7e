"""Match files as the commands read them: by their options, with notes on what was understood."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol

from ludometer.cli.screen import counting, note
from ludometer.errors import LudometerError

if TYPE_CHECKING:
    from ludometer.cli.shared import FileOptions
    from ludometer.matches import Matches
    from ludometer.measurement.record.study import RecordStudy
    from ludometer.parallel import Workers
    from ludometer.read import MatchStream


@dataclass(frozen=True)
class Group:
    """Matches to work on: the whole file, or those with one value of --by."""

    value: str | None
    matches: Matches | MatchStream
    dropped_matches: int = 0
    dropped_players: int = 0
    bad_rows: int = 0
    remarks: tuple[str, ...] = ()
    """What was understood of the file, and what was left out of it."""
    study: RecordStudy | None = None
    """What kind of record it is; None for a stream, or where only some of its matches are left."""

    @property
    def record(self) -> Matches:
        """The matches of a file that was read whole."""
        from ludometer.matches import Matches

        assert isinstance(self.matches, Matches)
        return self.matches

    def count(self, result: Counted) -> dict[str, Any]:
        """The data block of the JSON document, once the matches were played."""
        from ludometer.read import MatchStream

        bad_rows = self.bad_rows
        if isinstance(self.matches, MatchStream):
            note(*self.matches.left_out())
            bad_rows = self.matches.reader.n_dropped_rows
        return {
            "matches": result.n_matches,
            "players": result.n_players,
            "dropped_matches": self.dropped_matches,
            "dropped_players": self.dropped_players,
            "bad_rows": bad_rows,
            "draw_rate": result.draw_rate,
        }


class Counted(Protocol):
    """A result that knows how much it rests on."""

    @property
    def n_matches(self) -> int:
        """Matches played."""
        ...

    @property
    def n_players(self) -> int:
        """Players who played."""
        ...

    @property
    def draw_rate(self) -> float:
        """Share of draws."""
        ...


def columns_used(*systems: object) -> tuple[str, ...]:
    """The optional columns that any of these rating systems can use."""
    return tuple(dict.fromkeys(name for system in systems for name in getattr(system, "uses", ())))


def load(
    file: str,
    options: FileOptions,
    *,
    stream: bool = False,
    connect: bool = True,
    measured: bool = False,
    uses: tuple[str, ...] = (),
    workers: Workers | None = None,
) -> list[Group]:
    """Read the file as the options say, note what was understood, and return its groups.

    A stream is one group, read while it is played. `connect` looks at connected groups of players too; a command
    that does so itself goes without. What is `measured` has flattened tables put together again. Columns that it
    `uses` are read if they are there under their usual names. Where FILE is a folder or a pattern, `workers` read
    its files.
    """
    if stream:
        return [_open_stream(file, options, uses)]
    from ludometer.matches import Seats
    from ludometer.read import read_file

    columns = replace(options.columns, uses=uses)
    if measured and _is_gap(options.session):
        columns = replace(columns, session=None)
    with counting("read", "rows") as on_rows:
        reading = read_file(file, columns, on_rows=on_rows, workers=workers)
    remarks = reading.describe()
    record = next(iter(reading.groups.values()))
    is_multiplayer = isinstance(record.table, Seats) and record.table.sizes.max(initial=0) > 2 and not record.has_teams
    if is_multiplayer and options.prizes is None and record.score is None:
        remarks.append("only the win counts: --prizes linear counts every place")
    note(*remarks)
    groups = [
        _study(Group(value, matches, bad_rows=reading.n_bad_rows, remarks=tuple(remarks)), options, measured=measured)
        for value, matches in reading.groups.items()
    ]
    return [_connect(group, options.min_component) for group in groups] if connect else groups


def _study(group: Group, options: FileOptions, *, measured: bool) -> Group:
    """What kind of record a group is, said in a few lines; without its repeats, and limited to players with experience.

    Only what is measured has its flattened tables put together: a list of ratings may well rest on their pairs.
    """
    from ludometer.measurement.record.study import study_record

    with named(group):
        study = study_record(
            group.record, repeats=options.repeats, tables=measured, dependence=measured, **_overrides(options)
        )
    lines = study.lines()
    note(*(line if group.value is None else f"{group.value}: {line}" for line in lines))
    if options.experience:
        from ludometer.selection import with_experience

        study = study.limited_to(with_experience(study.matches, options.experience))
    return replace(group, matches=study.matches, remarks=(*group.remarks, *lines), study=study)


def _overrides(options: FileOptions) -> dict[str, str]:
    """What a user says about sessions and seats instead of what would be found."""
    found = {"advantage": options.advantage} if options.advantage in ("none", "order") else {}
    if options.session is not None:
        found["session"] = options.session if _is_gap(options.session) else "column"
    return found


def _is_gap(session: str | None) -> bool:
    from ludometer.measurement.record.sessions import is_gap

    return session is not None and is_gap(session)


def _open_stream(file: str, options: FileOptions, uses: tuple[str, ...]) -> Group:
    from ludometer.read import stream_matches

    for name in ("min_component", "experience"):
        if getattr(options, name):
            raise LudometerError(f"--{name.replace('_', '-')} needs the whole file: leave out --stream")
    stream = stream_matches(file, replace(options.columns, uses=uses))
    note(*stream.describe())
    return Group(None, stream)


def load_by_usual_names(file: str, option: str) -> Matches:
    """A second match file, which `option` names; the options that name columns are those of FILE."""
    from ludometer.read import read_file
    from ludometer.read.columns.names import ColumnsNotFound

    try:
        with counting("read", "rows") as on_rows:
            reading = read_file(file, on_rows=on_rows)
    except ColumnsNotFound as error:
        lack = re.search(r"(?:no column holds|cannot find) [^.;(\n]+", str(error))
        listing = "".join(f"\n{line}" for line in str(error).splitlines() if line.startswith("The file has: "))
        raise LudometerError(
            f"{file} ({option}): {lack[0] if lack else 'columns are missing'}; this file is read by the usual names: "
            f"rename its columns to player_1, player_2, score_1{listing}"
        ) from None
    note(*reading.describe())
    from ludometer.measurement.record.study import study_record

    study = study_record(reading.matches, dependence=False)
    note(*(f"{file}: {line}" for line in study.lines()))
    return study.matches


@contextmanager
def named(group: Group) -> Iterator[None]:
    """Say which group of --by an error is about."""
    try:
        yield
    except LudometerError as error:
        if group.value is None:
            raise
        raise type(error)(f"{group.value}: {error}") from error


def _connect(group: Group, min_component: int | None) -> Group:
    from ludometer.selection import keep_connected

    matches, place = group.record, f"{group.value}: " if group.value is not None else ""
    if min_component is not None:
        kept = keep_connected(matches, min_players=min_component)
        if kept.dropped_matches:
            note(
                f"{place}left out {kept.dropped_matches:,} matches of {kept.dropped_players:,} players in smaller "
                "connected groups"
            )
        return replace(
            group,
            matches=kept.matches,
            dropped_matches=kept.dropped_matches,
            dropped_players=kept.dropped_players,
            study=None,
        )
    largest = keep_connected(matches)
    if largest.dropped_players:
        note(
            f"{place}{largest.n_components:,} groups of players never met each other ({largest.dropped_players:,} "
            "players are outside the largest): compare ratings only within a group"
        )
    return group
