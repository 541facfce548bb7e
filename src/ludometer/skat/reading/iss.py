"""Records of the International Skat Server (ISS): a file or stream of them as frames of game records.

A record stands on one line or on many; files are plain, .gz, .zst or .bz2. They are read in blocks of whole records, so
memory stays flat, and blocks are parsed in parallel. `ludometer.skat.records` lists the columns; this reader adds
`line`, the line where a record starts, counted from 1.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

from ludometer.errors import LudometerError, MatchDataError
from ludometer.parallel import Workers, map_tasks
from ludometer.read.files.source import plain_errors
from ludometer.read.files.unpack import unpacked
from ludometer.skat.records import KINDS, complete_records, schema
from ludometer.skat.rules.cards import RANKS, SUITS
from ludometer.skat.sheets import DamagedLine

if TYPE_CHECKING:
    import polars as pl

BLOCK_BYTES = 4 << 20
"""Text parsed at once; fixed, so that results do not depend on the workers."""

_LONGEST = 64 << 20
_SHOWN = 5
_NAMES = ("place", "series", "game_id", "time", "player_0", "player_1", "player_2", "rating_0", "rating_1", "rating_2")


@dataclass
class SkatStream:
    """Game records as they are read; after the last frame `damaged` holds every line that was skipped."""

    frames: Iterator[pl.DataFrame]
    damaged: list[DamagedLine] = field(default_factory=list)

    def __iter__(self) -> Iterator[pl.DataFrame]:
        return self.frames


@dataclass(frozen=True, eq=False)
class SkatReading:
    """The game records of a file, and the lines that were skipped."""

    records: pl.DataFrame
    damaged: tuple[DamagedLine, ...] = ()

    def to_frame(self) -> pl.DataFrame:
        """One row per game."""
        return self.records

    def summary(self) -> str:
        """How many games of which kind, what differs from the rules, what was skipped."""
        kinds = self.records["kind"].value_counts(sort=True).rows()
        lines = [f"{self.records.height:,} games: {', '.join(f'{count:,} {kind}' for kind, count in kinds)}"]
        differing = self.records["difference"].drop_nulls().value_counts(sort=True).rows()
        lines += [f"{count:,} not as the rules say: {reason}" for reason, count in differing[:10]]
        if self.damaged:
            lines += [f"{len(self.damaged):,} damaged: {_show(self.damaged)}"]
        return "\n".join(lines)


def read_skat(
    source: str | os.PathLike[str] | BinaryIO,
    *,
    replay: bool = False,
    skip_damaged: bool = False,
    workers: Workers | None = None,
) -> SkatReading:
    """All game records of a file or stream, in its order; see `stream_skat`."""
    import polars as pl

    stream = stream_skat(source, replay=replay, skip_damaged=skip_damaged, workers=workers)
    frames = list(stream)
    records = pl.concat(frames) if frames else _parse_block((b"", 1), replay)[0]
    return SkatReading(records, tuple(stream.damaged))


def stream_skat(
    source: str | os.PathLike[str] | BinaryIO,
    *,
    replay: bool = False,
    skip_damaged: bool = False,
    workers: Workers | None = None,
    block_bytes: int = BLOCK_BYTES,
) -> SkatStream:
    """Game records as frames, one per block of text, in flat memory whatever the size of the file.

    `replay` plays the cards again. Damaged records raise an error that names the lines of a block; with `skip_damaged`
    they are left out and noted in the stream.
    """
    if block_bytes < 1:
        raise LudometerError("block_bytes must be at least 1")
    stream = SkatStream(iter(()))
    stream.frames = _frames(source, stream, replay, skip_damaged, workers or Workers(), block_bytes)
    return stream


def _frames(
    source: Any, stream: SkatStream, replay: bool, skip_damaged: bool, workers: Workers, block_bytes: int
) -> Iterator[pl.DataFrame]:
    name = Path(source).name if isinstance(source, str | os.PathLike) else "stream"
    if name != "stream" and not Path(source).is_file():
        raise LudometerError(f"{source}: no such file")
    with plain_errors(name), Path(source).open("rb") if name != "stream" else nullcontext(source) as opened:
        blocks = _blocks(unpacked(opened), block_bytes)
        while group := [block for _, block in zip(range(2 * workers.jobs), blocks, strict=False)]:
            for frame, damaged in map_tasks(_parse_block, group, shared=(replay,), workers=workers):
                if damaged and not skip_damaged:
                    raise MatchDataError(
                        f"{name}: {_show(damaged)}. Correct them, or skip them with --skip-damaged (skip_damaged=True)"
                    )
                stream.damaged += damaged
                if frame.height:
                    yield frame


def _show(damaged: list[DamagedLine] | tuple[DamagedLine, ...]) -> str:
    shown = ", ".join(f"line {fault.line:,}: {fault.reason}" for fault in damaged[:_SHOWN])
    return shown + (f", and {len(damaged) - _SHOWN:,} more" if len(damaged) > _SHOWN else "")


def _blocks(stream: BinaryIO, block_bytes: int) -> Iterator[tuple[bytes, int]]:
    """Text of whole records, and the number of its first line."""
    held, line, looked = bytearray(), 1, 0
    while part := stream.read(block_bytes):
        held += part
        if len(held) < block_bytes:
            # a pipe gives what it has
            continue
        cut = max(held.rfind(mark, max(0, looked - 2)) for mark in (b"\n(;", b"\r(;")) + 1
        if cut > 0:
            text = bytes(held[:cut])
            yield text, line
            line += text.count(b"\n")
            del held[:cut]
        elif len(held) > _LONGEST:
            raise MatchDataError(
                f"line {line:,}: no record starts in the next {_LONGEST >> 20} MiB: this is not a file of ISS records"
            )
        looked = len(held)
    if held:
        yield bytes(held), line


def _parse_block(task: tuple[bytes, int], replay: bool) -> tuple[pl.DataFrame, list[DamagedLine]]:
    """The records of one block, and what is damaged in it."""
    import polars as pl

    from ludometer.skat.kernels import iss as kernel

    text, first_line = task
    block = np.frombuffer(text, np.uint8)
    starts = np.empty(len(text) // 2 + 2, np.int64)
    n = kernel.find_records(block, starts)
    starts = np.append(starts[:n], len(text))
    spans, status, rests = np.empty((n, len(kernel.KEYS), 2), np.int64), np.zeros(n, np.uint8), np.empty(n, np.int64)
    hands, discards = np.zeros((n, 4), np.uint32), np.zeros(n, np.uint32)
    moves, played = np.zeros((n, kernel.N_MOVES), np.int64), np.full((n, 30), 255, np.uint8)
    results = np.zeros((n, kernel.N_RESULTS), np.int64)
    kernel.parse_records(
        block, starts, _SUIT_LETTERS, _RANK_LETTERS, spans, status, rests, hands, discards, moves, played, results
    )
    newlines = np.flatnonzero(block == 10)
    lines = np.searchsorted(newlines, starts[:n]) + first_line
    good = np.flatnonzero(status == 0)
    damaged = [DamagedLine(int(lines[row]), kernel.FAULTS[status[row]]) for row in np.flatnonzero(status)]
    damaged += _stray_text(text, starts, rests, status, newlines, first_line)
    damaged.sort(key=lambda fault: fault.line)
    texts = _text_columns(kernel, block, good, spans)
    frame = _to_frame(texts, hands[good], discards[good], moves[good], played[good], results[good])
    return complete_records(frame, replay=replay).insert_column(0, pl.Series("line", lines[good])), damaged


def _letters(letters: str) -> Any:
    table = np.full(256, 255, np.uint8)
    table[[ord(letter) for letter in letters]] = range(len(letters))
    return table


_SUIT_LETTERS, _RANK_LETTERS = _letters(SUITS), _letters(RANKS)


def _stray_text(text: bytes, starts: Any, rests: Any, status: Any, newlines: Any, first_line: int) -> list[DamagedLine]:
    """Lines between records that are neither blank nor comments."""
    gaps = [(0, int(starts[0]))]
    gaps += [
        (int(rests[row]), int(starts[row + 1])) for row in np.flatnonzero((status == 0) & (starts[1:] - rests > 2))
    ]
    faults = []
    for start, stop in gaps:
        at = start
        for line in text[start:stop].split(b"\n"):
            content = line.strip().removeprefix(b"\xef\xbb\xbf")
            if content and not content.startswith(b"#"):
                number = int(np.searchsorted(newlines, at)) + first_line
                faults.append(DamagedLine(number, "text outside of records"))
            at += len(line) + 1
    return faults


def _text_columns(kernel: Any, block: Any, rows: Any, spans: Any) -> pl.DataFrame:
    import polars as pl

    if not len(rows):
        return pl.DataFrame(schema=dict.fromkeys(_NAMES, pl.String))
    sizes = spans[rows, : kernel.N_TEXTS, 1] - spans[rows, : kernel.N_TEXTS, 0]
    out = np.empty(int(sizes.sum()) + sizes.size, np.uint8)
    lines = out[: kernel.write_texts(block, rows, spans, out)].tobytes()
    try:
        lines.decode()
    except UnicodeDecodeError:
        lines = lines.decode("latin-1").encode()
    return pl.read_csv(
        lines, has_header=False, separator="\t", quote_char=None, schema=dict.fromkeys(_NAMES, pl.String)
    )


def _seat(values: Any) -> pl.Series:
    """Seats, where -1 means none."""
    import polars as pl

    return pl.Series(values).replace(-1, None).cast(pl.Int8)


def _to_frame(texts: pl.DataFrame, hands: Any, discards: Any, moves: Any, played: Any, results: Any) -> pl.DataFrame:
    import polars as pl

    from ludometer.skat.kernels import iss as kernel

    def result(column: int) -> Any:
        return results[:, column]

    has_game, kind = moves[:, kernel.GAME] >= 0, result(kernel.RESULT_KIND)
    declarer = np.where(
        has_game | (moves[:, kernel.DECLARER] >= 0), moves[:, kernel.DECLARER], result(kernel.RESULT_DECLARER)
    )
    left = np.maximum(moves[:, kernel.LEFT], result(kernel.RESULT_LEFT))
    late = np.maximum(moves[:, kernel.TIMED_OUT], result(kernel.RESULT_TIMED_OUT))
    resigned = moves[:, kernel.RESIGNED]
    gave_up = (declarer >= 0) & (
        (resigned >> np.maximum(declarer, 0) & 1 == 1) | (left == declarer) | (late == declarer)
    )
    is_hand = has_game & (moves[:, kernel.PICKED_UP] == 0)
    said = moves[:, kernel.ANNOUNCED]
    is_played = np.isin(kind, (kernel.KIND_WIN, kernel.KIND_LOSS))
    columns = {
        **{name: texts[name] for name in _NAMES if not name.startswith(("time", "rating"))},
        "time": texts["time"].str.slice(0, 19).str.to_datetime("%Y-%m-%d/%H:%M:%S", strict=False, time_unit="us"),
        **{f"rating_{seat}": texts[f"rating_{seat}"].cast(pl.Float64, strict=False) for seat in range(3)},
        **{f"hand_{seat}": hands[:, seat] for seat in range(3)},
        "skat": hands[:, 3],
        "declarer": _seat(declarer),
        "game": _seat(moves[:, kernel.GAME]),
        "is_hand": is_hand,
        "schneider": said & kernel.SCHNEIDER > 0,
        "schwarz": said & kernel.SCHWARZ > 0,
        "ouvert": said & kernel.OUVERT > 0,
        "bid": moves[:, kernel.BID],
        "discards": np.where(is_hand, hands[:, 3], discards),
        "cards": pl.Series(played, dtype=pl.Array(pl.UInt8, 30)),
        "n_played": moves[:, kernel.N_PLAYED],
        "gave_up": gave_up,
        "kind": pl.Series(np.array(KINDS)[np.maximum(kind, 0)], dtype=pl.Enum(KINDS)),
        "resigned": resigned,
        "penalty": result(kernel.RESULT_PENALTY),
        "left": _seat(left),
        "timed_out": _seat(late),
        "points_recorded": result(kernel.RESULT_VALUE),
        "matadors_recorded": np.clip(result(kernel.RESULT_MATADORS), -99, 99),
        "eyes_recorded": result(kernel.RESULT_EYES),
        "tricks_recorded": result(kernel.RESULT_TRICKS),
        "won_recorded": kind == kernel.KIND_WIN,
        "overbid_recorded": result(kernel.RESULT_OVERBID) == 1,
        "schneider_recorded": result(kernel.RESULT_SCHNEIDER) == 1,
        "schwarz_recorded": result(kernel.RESULT_SCHWARZ) == 1,
    }
    types = schema()
    frame = pl.DataFrame({name: pl.Series(name, columns[name]).cast(types[name]) for name in types})
    only_played = ("matadors", "eyes", "tricks", "won", "overbid", "schneider", "schwarz")
    known = pl.Series(is_played)
    return frame.with_columns(
        *(pl.when(known).then(pl.col(f"{name}_recorded")).alias(f"{name}_recorded") for name in only_played),
        pl.when(pl.col("kind") != "unknown").then("points_recorded"),
    )
