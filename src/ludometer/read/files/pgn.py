"""The headers of chess games in PGN, read as a stream: who played whom, when, and with what result."""

from __future__ import annotations

import re
from datetime import date
from typing import TYPE_CHECKING, BinaryIO

if TYPE_CHECKING:
    from collections.abc import Iterator

    import polars as pl

COLUMNS = (
    *("white", "black", "result", "date", "white_elo", "black_elo", "event", "site", "round", "eco", "time_control"),
    *("utc_date", "utc_time", "variant", "termination", "white_title", "black_title", "fen"),
)
"""The tags that are read, as columns; what other tags say is skipped."""

_UNKNOWN = ["?", "????.??.??"]
_DAY = re.compile(r"\s*(\d{4})(?:[./-](\d\d?|\?\??)(?:[./-](\d\d?|\?\??))?)?\s*", re.ASCII)


def read_pgn_headers(
    source: BinaryIO, *, games_per_frame: int = 200_000, block_bytes: int = 8 << 20
) -> Iterator[pl.DataFrame]:
    """Yield the games of a PGN stream in its order, `games_per_frame` to a frame, with the columns `COLUMNS`.

    The stream need not be seekable, and no more of it is held than `block_bytes` and the games of one frame. What is
    missing, empty or "?" is null. The Elo columns are Int32, all others String. `date` and `utc_date` are written
    YYYY-MM-DD with 01 for an unknown month or day, so that such a game sorts at the start of its year or month;
    impossible dates are null. A game without a usable `Date` gets its `UTCDate` as `date`. Values that are not UTF-8
    are taken for Latin-1.
    """
    import polars as pl

    from ludometer.kernels.text.pgn import scan_headers

    if games_per_frame < 1 or block_bytes < 1:
        raise ValueError("games_per_frame and block_bytes must be at least 1")
    held: list[pl.DataFrame] = []
    n_held = 0
    for lines in scan_headers(_read_blocks(source, block_bytes)):
        held.append(_parse_lines(lines))
        n_held += held[-1].height
        if n_held >= games_per_frame:
            frames = pl.concat(held).iter_slices(games_per_frame)
            held, n_held = [], 0
            for frame in frames:
                if frame.height == games_per_frame:
                    yield frame
                else:
                    held, n_held = [frame], frame.height
    if held:
        yield pl.concat(held)


def _read_blocks(source: BinaryIO, block_bytes: int) -> Iterator[bytes]:
    while block := source.read(block_bytes):
        yield block


def _parse_lines(lines: bytes) -> pl.DataFrame:
    import polars as pl

    try:
        lines.decode()
    except UnicodeDecodeError:
        lines = b"\n".join(_decode_line(line) for line in lines.split(b"\n"))
    table = pl.read_csv(
        lines,
        has_header=False,
        separator="\t",
        quote_char=None,
        schema=dict.fromkeys(COLUMNS, pl.String),
        null_values=_UNKNOWN,
    )
    elos = [pl.col(name).str.strip_chars().cast(pl.Int32, strict=False) for name in ("white_elo", "black_elo")]
    return table.with_columns(_write_days(table["date"]), _write_days(table["utc_date"]), *elos).with_columns(
        pl.coalesce("date", "utc_date")
    )


def _decode_line(line: bytes) -> bytes:
    """Return a line whose fields are all UTF-8."""
    try:
        line.decode()
    except UnicodeDecodeError:
        return b"\t".join(_decode_field(field) for field in line.split(b"\t"))
    return line


def _decode_field(field: bytes) -> bytes:
    try:
        field.decode()
    except UnicodeDecodeError:
        return field.decode("latin-1").encode()
    return field


def _write_days(days: pl.Series) -> pl.Series:
    import polars as pl

    # A file has many games to a day, so Python is fast enough for its days and spares Polars four passes of regexes.
    known = days.unique().drop_nulls().to_list()
    return days.replace_strict(known, [_write_day(text) for text in known], default=None, return_dtype=pl.String)


def _write_day(text: str) -> str | None:
    """Return a date as YYYY-MM-DD, with 01 for what is unknown of it."""
    parts = _DAY.fullmatch(text)
    if parts is None:
        return None
    year, month, day = (1 if part is None or "?" in part else int(part) for part in parts.groups())
    try:
        return date(year, month, day).isoformat()
    except ValueError:
        return None
