"""Files on their way out: written beside their place and moved there when complete, so nothing half-written is left."""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ludometer.errors import LudometerError
from ludometer.matches import Matches

if TYPE_CHECKING:
    import polars as pl


TABLES = (".csv", ".parquet")
_SINKS = {".parquet": "sink_parquet", ".csv": "sink_csv", ".jsonl": "sink_ndjson"}


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A temporary path in the same folder, which takes the place of `path` if all goes well and vanishes if not."""
    if path.is_dir():
        raise LudometerError(f"{path}: is a folder; name a file")
    path = path.resolve()
    if path.exists() and not path.is_file():
        # a pipe or a device is written to, not replaced
        yield path
        return
    try:
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".part", dir=path.parent)
    except OSError as error:
        raise LudometerError(f"{path}: cannot be written ({error.strerror})") from error
    os.close(handle)
    draft = Path(name)
    try:
        yield draft
        mask = os.umask(0)
        os.umask(mask)
        draft.chmod(0o666 & ~mask)
        draft.replace(path)
    except OSError as error:
        raise LudometerError(f"{path}: cannot be written ({error.strerror or error})") from error
    finally:
        draft.unlink(missing_ok=True)


def write_json(document: dict[str, Any], target: str) -> None:
    """Write a JSON document to a file, or to standard output for "-"."""
    text = json.dumps(document, ensure_ascii=False, allow_nan=False, indent=1) + "\n"
    if target == "-":
        sys.stdout.buffer.write(text.encode())
        sys.stdout.buffer.flush()
        return
    with replacing(Path(target)) as draft:
        draft.write_text(text, encoding="utf-8")


def write_matches(batches: Iterable[Matches], path: Path, *, on_rows: Callable[[int], None] | None = None) -> None:
    """Write matches of two as player_1, player_2, score_1 to .parquet, .csv or .jsonl, batch by batch."""
    import polars as pl
    from polars.io.plugins import register_io_source

    check_suffix(path, _SINKS)

    stopped: list[bool] = []

    def frames(*_: Any) -> Iterator[pl.DataFrame]:
        done = 0
        for batch in batches:
            if stopped:
                return
            yield _match_frame(batch)
            done += len(batch)
            if on_rows:
                on_rows(done)

    schema = {"player_1": pl.Int32, "player_2": pl.Int32, "score_1": pl.Float32}
    with replacing(path) as draft:
        sink = getattr(register_io_source(frames, schema=schema), _SINKS[path.suffix.lower()])
        _interruptible(lambda: sink(draft), stopped)


def _interruptible(work: Callable[[], None], stopped: list[bool]) -> None:
    """Do work that may be long beside the main thread, which so stays awake for Ctrl-C, and let it end by itself.

    Raised inside Polars, an interrupt would be a panic.
    """
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
    """Refuse a name that does not tell a format, before any work is done."""
    if path.suffix.lower() not in suffixes:
        raise LudometerError(f"{path}: write to a file that ends in {', '.join(suffixes)}")


def _match_frame(matches: Matches) -> pl.DataFrame:
    import polars as pl

    pairs = matches.pairs
    return pl.DataFrame({"player_1": pairs.first, "player_2": pairs.second, "score_1": pairs.score.astype(np.float32)})
