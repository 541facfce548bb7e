"""Work done is kept: outcomes of tasks, in memory or in a file that an interrupted run goes on from.

A task is known by a hash of its function, of itself and of what it shares with the others, so an outcome that is kept
is the outcome of that very work, whatever else has changed. The file is one JSON object per line: a header that says
what the work rests on, then outcomes. A line that is torn, as by a power cut, is work to be done again.
"""

from __future__ import annotations

import base64
import hashlib
import json
import logging
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Self

from ludometer.errors import LudometerError
from ludometer.version import __version__

if TYPE_CHECKING:
    from types import TracebackType

FORMAT = 1
_OURS = "ludometer."
_BEGINNING = b'{"sum":"'

_log = logging.getLogger(__name__)


class Journal:
    """Outcomes by the hash of their task, in memory and, if `path` is given, in a file that is read first.

    >>> journal = Journal()
    >>> key = journal.key(pow, 3, (2,))
    >>> journal.keep(key, pow(3, 2))
    >>> journal.find(key)
    (9,)
    """

    def __init__(self, path: Path | None = None) -> None:
        self.path = path
        self.n_found = 0
        """Outcomes that did not have to be worked for again."""
        self._outcomes: dict[str, Any] = {}
        self._headers: list[dict[str, Any]] = []
        self._n_begun = 0
        self._file: BinaryIO | None = None
        if path is not None:
            self._open(path)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the file."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def begin(self, about: Mapping[str, Any]) -> None:
        """Say what the work that follows rests on; refuse a file about other work.

        A run may begin several pieces of work, one after another, as when several games are measured.
        """
        header = json.loads(json.dumps({"version": __version__, **about}))
        place, self._n_begun = self._n_begun, self._n_begun + 1
        if place < len(self._headers):
            if differing := _differences(self._headers[place], header):
                raise LudometerError(
                    f"{self.path} holds the work of another run ({'; '.join(differing)}): name a new file with "
                    "--resume, or repeat the command that began it"
                )
            return
        self._headers.append(header)
        self._write({"journal": FORMAT, "about": header})

    def key(self, function: Callable[..., Any], task: Any, shared: tuple[Any, ...]) -> str | None:
        """What a task is known by; None for one that holds what has no plain content."""
        return self.keys(function, [task], shared)[0]

    def keys(self, function: Callable[..., Any], tasks: Any, shared: tuple[Any, ...]) -> list[str | None]:
        """The same of many tasks, with what they share hashed once."""
        try:
            common = hashlib.sha256()
            _digest((function, shared), common.update)
            found: list[str | None] = []
            for task in tasks:
                one = common.copy()
                _digest(task, one.update)
                found.append(one.hexdigest()[:32])
        except TypeError as error:
            _log.debug("not kept: %s", error)
            return [None] * len(tasks)
        return found

    def find(self, key: str | None) -> tuple[Any] | None:
        """The outcome that is kept under this key, in a tuple; None if there is none."""
        if key is None or key not in self._outcomes:
            return None
        self.n_found += 1
        outcome = self._outcomes[key]
        return (_from_plain(outcome.value) if isinstance(outcome, _Plain) else outcome,)

    def keep(self, key: str | None, outcome: Any) -> None:
        """Keep an outcome; one that cannot be written plainly is worked for again."""
        if key is None or key in self._outcomes:
            return
        if self._file is not None:
            try:
                plain = _to_plain(outcome)
            except TypeError as error:
                _log.debug("not kept: %s", error)
                return
            self._write({"key": key, "outcome": plain})
        self._outcomes[key] = outcome

    def _open(self, path: Path) -> None:
        try:
            # read and append, made if it is not there
            self._file = path.open("a+b")
            _lock(self._file, path)
            self._file.seek(0)
            end = self._read(self._file)
            # what follows the last whole line is torn
            self._file.truncate(end)
            self._file.seek(0, os.SEEK_END)
        except OSError as error:
            self.close()
            raise LudometerError(f"{path}: cannot be used for --resume ({error.strerror or error})") from error
        except LudometerError:
            self.close()
            raise

    def _read(self, file: BinaryIO) -> int:
        """Take in all whole lines; where the last of them ends."""
        end = 0
        for number, line in enumerate(file):
            entry = _parse(line)
            is_torn = not line.endswith(b"\n") and _BEGINNING.startswith(line[: len(_BEGINNING)])
            if number == 0 and not is_torn and (entry is None or entry.get("journal") != FORMAT):
                raise LudometerError(f"{self.path}: is not a file that --resume has written; name a new one")
            if not line.endswith(b"\n"):
                break
            end += len(line)
            if entry is None:
                continue
            if "about" in entry:
                self._headers.append(entry["about"])
            elif "key" in entry:
                self._outcomes[entry["key"]] = _Plain(entry["outcome"])
        return end

    def _write(self, entry: dict[str, Any]) -> None:
        if self._file is None:
            return
        body = json.dumps(entry, separators=(",", ":"))
        try:
            self._file.write(_BEGINNING + f'{_sum(body)}","entry":{body}}}\n'.encode())
            self._file.flush()
        except OSError as error:
            raise LudometerError(f"{self.path}: cannot be written ({error.strerror or error})") from error


@dataclass(frozen=True)
class _Plain:
    """An outcome as the file has it: its classes may not be loaded before it is asked for."""

    value: Any


def _sum(body: str) -> str:
    return hashlib.sha256(body.encode()).hexdigest()[:16]


def _parse(line: bytes) -> dict[str, Any] | None:
    """The entry of a whole line; None for one that is torn or spoilt."""
    try:
        found = json.loads(line)
        entry = found["entry"]
        whole = isinstance(entry, dict) and found["sum"] == _sum(json.dumps(entry, separators=(",", ":")))
    except (ValueError, KeyError, TypeError):
        return None
    return entry if whole else None


def _lock(file: BinaryIO, path: Path) -> None:
    """Two runs that append to one file would spoil it."""
    try:
        import fcntl
    except ImportError:
        return
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        raise LudometerError(f"{path}: another run is using this file") from error


def _differences(kept: Mapping[str, Any], asked: Mapping[str, Any]) -> list[str]:
    """What differs between two headers, in words."""
    lines = []
    for name in dict.fromkeys((*kept, *asked)):
        before, now = kept.get(name), asked.get(name)
        if before == now:
            continue
        if name == "data":
            lines.append("other matches")
        elif isinstance(before, dict) and isinstance(now, dict):
            lines += _differences(before, now)
        else:
            lines.append(f"{name.replace('_', ' ')} was {_word(before)}, is {_word(now)}")
    return lines


def _word(value: Any) -> str:
    return "not given" if value is None else value if isinstance(value, str) else json.dumps(value)


def _digest(value: Any, update: Callable[[bytes | memoryview], None]) -> None:
    """Hash the content of plain values, arrays and dataclasses; TypeError for anything else."""
    import numpy as np

    if value is None or isinstance(value, (bool, int, float, str, bytes, np.generic)):
        update(f"{type(value).__name__}:{value!r};".encode())
    elif isinstance(value, np.ndarray):
        if value.dtype.hasobject:
            raise TypeError("an array of objects")
        update(f"array:{value.dtype.str}{value.shape};".encode())
        update(np.ascontiguousarray(value).data.cast("B") if value.size else b"")
    elif isinstance(value, np.random.SeedSequence):
        _digest(("seed", value.entropy, value.spawn_key, value.n_children_spawned), update)
    elif isinstance(value, (tuple, list, range)):
        _digest_parts(value, value, update)
    elif fingerprint := getattr(value, "fingerprint", None):
        # a record knows its own, and has found it before
        update(f"{type(value).__qualname__}:{fingerprint};".encode())
    elif is_dataclass(value) and not isinstance(value, type):
        _digest_parts(value, [getattr(value, field.name) for field in fields(value)], update)
    elif callable(value) and hasattr(value, "__qualname__") and "<" not in value.__qualname__:
        update(f"function:{value.__module__}.{value.__qualname__};".encode())
    else:
        raise TypeError(f"{type(value).__qualname__} has no plain content")


def _digest_parts(whole: Any, parts: Sequence[Any], update: Callable[[bytes | memoryview], None]) -> None:
    update(f"{type(whole).__qualname__}:{len(parts)}(".encode())
    for part in parts:
        _digest(part, update)
    update(b")")


def _to_plain(value: Any) -> Any:
    """As JSON has it; TypeError for what is neither plain, an array, nor one of our dataclasses or named tuples."""
    import numpy as np

    if value is None or isinstance(value, (bool, str)) or type(value) in (int, float):
        return value
    if isinstance(value, (np.ndarray, np.generic)):
        if value.dtype.hasobject:
            raise TypeError("an array of objects")
        content = base64.b64encode(np.ascontiguousarray(value).tobytes()).decode()
        kind = "array" if isinstance(value, np.ndarray) else "number"
        return {kind: [value.dtype.str, list(value.shape), content]}
    if type(value) is list:
        return {"list": [_to_plain(part) for part in value]}
    if type(value) is tuple:
        return {"tuple": [_to_plain(part) for part in value]}
    if type(value) is dict:
        return {"dict": [[_to_plain(name), _to_plain(part)] for name, part in value.items()]}
    names = _field_names(type(value))
    if names is None:
        raise TypeError(f"{type(value).__qualname__} cannot be written plainly")
    kind = f"{type(value).__module__}:{type(value).__qualname__}"
    return {"class": kind, "fields": {name: _to_plain(getattr(value, name)) for name in names}}


def _from_plain(value: Any) -> Any:
    import numpy as np

    if not isinstance(value, dict):
        return value
    if "array" in value or "number" in value:
        dtype, shape, content = value["array"] if "array" in value else value["number"]
        found = np.frombuffer(base64.b64decode(content), np.dtype(dtype)).reshape(shape)
        return found.copy() if "array" in value else found[()]
    if "list" in value:
        return [_from_plain(part) for part in value["list"]]
    if "tuple" in value:
        return tuple(_from_plain(part) for part in value["tuple"])
    if "dict" in value:
        return {_from_plain(name): _from_plain(part) for name, part in value["dict"]}
    return _find_class(value["class"])(**{name: _from_plain(part) for name, part in value["fields"].items()})


def _field_names(kind: type) -> tuple[str, ...] | None:
    """The fields of a dataclass or named tuple of ours; None for any other class."""
    if not kind.__module__.startswith(_OURS):
        return None
    if is_dataclass(kind):
        return tuple(field.name for field in fields(kind))
    return getattr(kind, "_fields", None) if issubclass(kind, tuple) else None


def _find_class(name: str) -> Callable[..., Any]:
    """A class of ours by its name; a file names data classes only, and loads nothing."""
    module, _, qualname = name.partition(":")
    found = getattr(sys.modules.get(module), qualname, None) if module.startswith(_OURS) else None
    if not isinstance(found, type) or _field_names(found) is None:
        raise LudometerError(f"--resume: a file of this version does not hold {name!r}; name a new file")
    return found
