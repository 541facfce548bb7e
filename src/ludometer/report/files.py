"""Files on their way out: written beside their place and moved there when complete."""

from __future__ import annotations

import json
import signal
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ludometer.arrays import Codes
from ludometer.errors import LudometerError
from ludometer.matches import Matches
from ludometer.players import Labels, Players
from ludometer.writing import replacing

if TYPE_CHECKING:
    import polars as pl


TABLES = (".csv", ".parquet")
_SINKS = {".parquet": "sink_parquet", ".csv": "sink_csv", ".jsonl": "sink_ndjson"}
RECORDS = tuple(_SINKS)


def write_json(document: dict[str, Any], target: str) -> None:
    """Write a JSON document to a file, or to standard output for "-"."""
    # names of files may hold bytes that are not text
    text = (json.dumps(document, ensure_ascii=False, allow_nan=False, indent=1) + "\n").encode(errors="replace")
    if target == "-":
        sys.stdout.buffer.write(text)
        sys.stdout.buffer.flush()
        return
    with replacing(Path(target)) as draft:
        draft.write_bytes(text)


def write_matches(
    batches: Iterable[Matches], path: Path, *, by_seat: bool = False, on_rows: Callable[[int], None] | None = None
) -> None:
    """Write matches to .parquet, .csv or .jsonl, batch by batch.

    There is one row per match (player_1, player_2, score_1) or, `by_seat`, one row per seat (match, player, place).
    Times and optional columns follow where they are known; `read_matches` with keep="all" and the names of covariates
    reads the same record again.
    """
    from polars.io.plugins import register_io_source

    check_suffix(path, RECORDS)

    rest = iter(batches)
    first = next(rest, None)
    if first is None:
        raise LudometerError(f"{path}: there are no matches to write")
    stopped: list[bool] = []

    def frames(*_: Any) -> Iterator[pl.DataFrame]:
        done = 0
        for batch in chain((first,), rest):
            if stopped:
                return
            yield _seat_frame(batch, done) if by_seat else _match_frame(batch)
            done += len(batch)
            if on_rows:
                on_rows(done)

    head = first.part(0, 1)
    schema = (_seat_frame(head, 0) if by_seat else _match_frame(head)).schema
    with replacing(path) as draft:
        sink = getattr(register_io_source(frames, schema=schema), _SINKS[path.suffix.lower()])
        _interruptible(lambda: sink(draft), stopped)


def _interruptible(work: Callable[[], None], stopped: list[bool]) -> None:
    """Do long work beside the main thread, which stays awake for Ctrl-C, and let it end by itself.

    Raised inside Polars, an interrupt would be a panic; it hooks itself before Python's handler of Ctrl-C, which is put
    back to where it was.
    """
    if threading.current_thread() is threading.main_thread() and callable(signal.getsignal(signal.SIGINT)):
        signal.signal(signal.SIGINT, signal.getsignal(signal.SIGINT))
    with ThreadPoolExecutor(1) as pool:
        task = pool.submit(work)
        try:
            while not wait([task], timeout=0.1).done:
                pass
        except KeyboardInterrupt:
            stopped.append(True)
            wait([task])
            raise
        task.result()


def write_frame(frame: pl.DataFrame, path: Path) -> None:
    """Write a table to .csv or .parquet."""
    check_suffix(path, TABLES)
    with replacing(path) as draft:
        if path.suffix.lower() == ".parquet":
            frame.write_parquet(draft)
        else:
            frame.write_csv(draft)


def check_suffix(path: Path, suffixes: Iterable[str]) -> None:
    """Refuse a name without a known format, before any work is done."""
    if path.suffix.lower() not in suffixes:
        raise LudometerError(f"{path}: write to a file that ends in {', '.join(suffixes)}")


def _match_frame(matches: Matches) -> pl.DataFrame:
    import polars as pl

    pairs = matches.pairs
    first, second = (_name(codes, matches.players) for codes in (pairs.first, pairs.second))
    columns: dict[str, Any] = {"player_1": first, "player_2": second, "score_1": pairs.score.astype(np.float32)}
    columns |= _columns_per_match(matches)
    for name, values in _columns_per_seat(matches).items():
        # score_1 and score_2 would be read as the result
        stem = "points" if name == "score" else name
        columns |= {f"{stem}_{seat + 1}": values[seat::2] for seat in range(2)}
    return pl.DataFrame(columns)


def _seat_frame(matches: Matches, n_before: int) -> pl.DataFrame:
    import polars as pl

    seats = matches.seats
    row = np.repeat(np.arange(len(seats)), seats.sizes)
    columns: dict[str, Any] = {
        "match": row + n_before + 1,
        "player": _name(seats.player, matches.players),
        "place": seats.place,
    }
    columns |= {name: values[row] for name, values in _columns_per_match(matches).items()}
    columns |= {} if seats.prize is None else {"prize": seats.prize}
    return pl.DataFrame(columns | _columns_per_seat(matches))


def _columns_per_match(matches: Matches) -> dict[str, Any]:
    """Times and the optional columns with one value per match."""
    columns = {"time": matches.time, "session": matches.session, "weight": matches.weight}
    columns |= {"advantage": matches.advantages} if "advantage" in matches.columns else {}
    return _written(columns | dict(matches.covariates))


def _columns_per_seat(matches: Matches) -> dict[str, Any]:
    """The optional columns with one value per seat."""
    return _written({"score": matches.score, "side": matches.side, **matches.seat_covariates})


def _written(columns: dict[str, Any]) -> dict[str, Any]:
    """Columns that are there: labels as text, and unknown numbers as empty cells."""
    import polars as pl

    there = {name: own for name, own in columns.items() if own is not None}
    return {
        name: own.text if isinstance(own, Labels) else pl.Series(own, nan_to_null=True) for name, own in there.items()
    }


def _name(codes: Codes, players: Players) -> Codes | pl.Series:
    """The players' names; their codes if these are the names."""
    whole = players.chunks[0]
    if len(players.chunks) == 1 and whole.dtype.is_integer() and np.array_equal(whole, np.arange(len(whole))):
        return codes
    return players.names.gather(codes)
