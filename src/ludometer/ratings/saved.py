"""A rating system's state between two runs: what it knows, whose ratings they are, which matches it holds; as a file.

The file is NumPy's .npz without pickled objects: arrays, and a header in JSON that says where each belongs. Only the
dataclasses of rating systems are built from it, so that a file is data and never code.
"""

from __future__ import annotations

import io
import json
import math
import os
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ludometer.arrays import Array, Counts, Floats, Times
from ludometer.errors import LudometerError
from ludometer.matches import Matches
from ludometer.players import Players
from ludometer.ratings.held import Held
from ludometer.ratings.listed import Baseline
from ludometer.version import __version__

if TYPE_CHECKING:
    from ludometer.ratings.driver import AnySystem, RatingSystem

_FORMAT, _VERSION = "ludometer ratings", 1
_HOMES = ("ludometer.ratings.", "ludometer.strength.", "ludometer.matches", "ludometer.curves.")
"""Where the dataclasses of systems and states live."""
_NOT_OURS = (
    "this is not a state that ludometer rate wrote, or it is damaged: name another file, or delete it and rate the "
    "whole record again"
)
_KINDS = "biufM"
"""Arrays of numbers and dates; objects, which may hold code, are neither written nor read."""


@dataclass(frozen=True, eq=False)
class SavedState:
    """Where a rating system stands after the matches it has played, known by the players' names.

    `rate(matches, state=...)` plays on from it: only matches that it does not hold, with the parameters that it
    carries. What comes back has the next state: two halves of a record give what the whole gives, to the last bit.

    >>> from ludometer.matches import Matches
    >>> from ludometer.ratings import Elo, new_state, rate
    >>> players = Players.named(["Ann", "Ben", "Cem"])
    >>> first = rate(Matches.of_pairs([0], [1], [1], players=players), state=new_state(Elo()))
    >>> later = Matches.of_pairs([0], [1], [1], players=Players.named(["Cem", "Ann"]))
    >>> rate(later, state=first.state).to_frame()["player"].to_list()
    ['Cem', 'Ann', 'Ben']
    """

    origin: AnySystem
    """The system as it was asked for: what is fitted again on request."""
    system: RatingSystem[Any] | None = None
    """The system with its parameters; None before the first match."""
    state: Any = None
    players: Players = field(default_factory=lambda: Players.named([]))
    played: Counts = field(default_factory=lambda: np.zeros(0, np.int64))
    last: Times | None = None
    """When each player played last."""
    n_draws: int = 0
    held: Held = field(default_factory=Held)
    baseline: Baseline | None = None

    @property
    def name(self) -> str:
        """What users call the system."""
        return self.origin.name

    @property
    def n_matches(self) -> int:
        """Matches that it holds."""
        return len(self.held)

    def refuse_other(self, system: AnySystem) -> None:
        """Say that this system, or these parameters, are not those of the state."""
        if system.name != self.name:
            raise LudometerError(
                f"the state was rated by {self.name}, not by {system.name}: leave out --system, or name another state"
            )
        carried = self.origin.parameters if self.system is None else self.system.parameters
        told = ", ".join(f"{word} {value}" for word, value in carried.items())
        raise LudometerError(
            f"the state carries other parameters of {self.name} ({told}): leave them out, or rate the whole record "
            "again with --refit"
        )


@dataclass(frozen=True, eq=False)
class StartRatings:
    """Players who enter at known ratings, such as those of a federation."""

    players: Players
    rating: Floats
    sd: Floats | None = None
    """The SD of each rating's error; NaN where it is not known."""

    def without(self, known: Players) -> StartRatings:
        """Those who are not among these players."""
        new = ~self.players.names.is_in(known.names.implode()).to_numpy()
        return StartRatings(self.players.take(new), self.rating[new], None if self.sd is None else self.sd[new])

    def enter(self, system: RatingSystem[Any], state: Any, n_known: int, matches: Matches) -> Any:
        """The state with these players after those that it knows, at the time of the matches that follow."""
        enter = getattr(system, "enter", None)
        if enter is None:
            able = ", ".join(name for name in _systems_that_take_ratings())
            raise LudometerError(f"{system.name} cannot start players at given ratings; these systems can: {able}")
        codes = n_known + np.arange(len(self.rating), dtype=np.int32)
        sd = np.full(len(codes), np.nan) if self.sd is None else self.sd
        return enter(state, codes, self.rating, sd, matches)


def _systems_that_take_ratings() -> list[str]:
    from ludometer.ratings.catalogue import make_system, system_names

    systems = {name: make_system(name) for name in system_names()}
    playing = {name: getattr(system, "untuned", system) for name, system in systems.items()}
    return [name for name, system in playing.items() if hasattr(system, "enter")]


def new_state(system: AnySystem) -> SavedState:
    """The state before any match; a system with parameters to fit is fitted to the first matches it gets."""
    return SavedState(system)


def save_state(saved: SavedState, path: str | os.PathLike[str]) -> None:
    """Write a state, whole or not at all.

    >>> import tempfile
    >>> from ludometer.ratings import Elo, load_state
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_state(new_state(Elo(k=16)), f"{folder}/league.state")
    ...     load_state(f"{folder}/league.state").origin.k
    16
    """
    from ludometer.writing import replacing

    text = to_bytes(saved)
    with replacing(Path(path)) as draft, draft.open("wb") as stream:
        stream.write(text)
        stream.flush()
        os.fsync(stream.fileno())


def load_state(path: str | os.PathLike[str]) -> SavedState:
    """Read a state that `save_state` wrote."""
    try:
        content = Path(path).read_bytes()
    except OSError as error:
        raise LudometerError(f"{path}: cannot be read ({error.strerror})") from error
    try:
        return from_bytes(content)
    except LudometerError as error:
        raise LudometerError(f"{path}: {error}") from error


def to_bytes(saved: SavedState) -> bytes:
    """The file of a state; the same state gives the same bytes."""
    writer = _Writer()
    header = {
        "format": _FORMAT,
        "version": _VERSION,
        "written_by": __version__,
        "system": saved.name,
        "content": {part.name: writer.write(getattr(saved, part.name)) for part in fields(saved)},
    }
    encoded = json.dumps(header, allow_nan=False, separators=(",", ":")).encode()
    stream = io.BytesIO()
    arrays: dict[str, Any] = {"header": np.frombuffer(encoded, np.uint8), **writer.arrays}
    np.savez(stream, **arrays)
    return stream.getvalue()


def from_bytes(content: bytes) -> SavedState:
    """The state of a file; anything else is refused in one sentence."""
    try:
        with np.load(io.BytesIO(content), allow_pickle=False) as file:
            header = json.loads(file["header"].tobytes())
            if header["format"] != _FORMAT:
                raise LudometerError(_NOT_OURS)
            if header["version"] != _VERSION:
                raise LudometerError(
                    f"this state was written by ludometer {header['written_by']}, in a form that {__version__} does "
                    "not know: use that version, or delete the file and rate the whole record again"
                )
            reader = _Reader(file, _homes(header["system"]))
            saved = SavedState(**{name: reader.read(part) for name, part in header["content"].items()})
        _check(saved)
    except LudometerError:
        raise
    except Exception as error:
        # whatever a damaged file leads to, down to a number in the wrong place
        raise LudometerError(_NOT_OURS) from error
    return saved


class _Writer:
    """Values as JSON, with their arrays beside them."""

    def __init__(self) -> None:
        self.arrays: dict[str, Array] = {}

    def write(self, value: Any) -> Any:
        """A value that JSON can hold, with references to arrays."""
        if value is None or isinstance(value, bool | str | int):
            return value
        if isinstance(value, float):
            return float(value) if math.isfinite(value) else {"float": str(float(value))}
        if isinstance(value, np.ndarray | np.generic):
            return self._keep(np.asarray(value), is_scalar=isinstance(value, np.generic))
        if isinstance(value, Players):
            names = value.names
            text = np.frombuffer("".join(names.to_list()).encode(), np.uint8)
            return {"names": [self._keep(text), self._keep(names.str.len_bytes().to_numpy().astype(np.int64))]}
        if isinstance(value, tuple):
            return {"tuple": [self.write(one) for one in value]}
        if isinstance(value, list):
            return [self.write(one) for one in value]
        if isinstance(value, Mapping):
            return {"dict": [[self.write(key), self.write(one)] for key, one in value.items()]}
        if is_dataclass(value) and not isinstance(value, type):
            kept = {part.name: self.write(getattr(value, part.name)) for part in _parts(type(value))}
            return {"type": f"{type(value).__module__}:{type(value).__qualname__}", "fields": kept}
        name = getattr(value, "__name__", None) or type(value).__name__
        raise LudometerError(f"a state with {name} cannot be saved: it holds numbers, texts and arrays only")

    def _keep(self, array: Array, *, is_scalar: bool = False) -> dict[str, str]:
        if array.dtype.kind not in _KINDS:
            raise LudometerError(f"a state with an array of {array.dtype} cannot be saved: arrays hold numbers only")
        name = f"a{len(self.arrays)}"
        self.arrays[name] = array
        return {"scalar" if is_scalar else "array": name}


class _Reader:
    """The values that `_Writer` wrote."""

    def __init__(self, file: Any, homes: tuple[str, ...]) -> None:
        self.file = file
        self.homes = homes

    def read(self, value: Any) -> Any:
        """The value, with its arrays in place."""
        if isinstance(value, list):
            return [self.read(one) for one in value]
        if not isinstance(value, dict):
            return value
        if "type" in value:
            kept = {name: self.read(one) for name, one in value["fields"].items()}
            return self._type(value["type"])(**kept)
        ((kind, inner),) = value.items()
        if kind == "names":
            return self._players(*(self.read(part) for part in inner))
        if kind in ("array", "scalar"):
            array = self.file[inner]
            if array.dtype.kind not in _KINDS:
                raise ValueError(f"an array of {array.dtype}")
            return array[()] if kind == "scalar" else array
        if kind == "float":
            return float(inner)
        if kind == "tuple":
            return tuple(self.read(one) for one in inner)
        return {self.read(key): self.read(one) for key, one in inner}

    def _players(self, text: Array, lengths: Counts) -> Players:
        ends = np.cumsum(lengths)
        whole = text.tobytes()
        return Players.named([whole[end - length : end].decode() for end, length in zip(ends, lengths, strict=True)])

    def _type(self, reference: str) -> type[Any]:
        """A dataclass of a rating system: nothing else is built, and no other module is loaded."""
        module, _, name = reference.partition(":")
        if not any(
            module == home.rstrip(".") or (home.endswith(".") and module.startswith(home)) for home in self.homes
        ):
            raise ValueError(f"{reference} is not part of a rating system")
        found = getattr(import_module(module), name)
        if not (isinstance(found, type) and is_dataclass(found) and found.__module__ == module):
            raise ValueError(f"{reference} is not a dataclass")
        return found


def _parts(cls: type[Any]) -> list[Any]:
    """The fields of a dataclass that are saved: all but those that it computes, and those it marks as memory."""
    return [part for part in fields(cls) if part.init and part.metadata.get("is_saved", True)]


def _homes(system: str) -> tuple[str, ...]:
    """Where dataclasses of this system may live: in our rooms, or in the package that adds it."""
    from ludometer.ratings.catalogue import find_entry

    make = find_entry(system).make
    module = make.partition(":")[0] if isinstance(make, str) else make.__module__
    package = module.partition(".")[0]
    return _HOMES if package == "ludometer" else (*_HOMES, package, f"{package}.")


def _check(saved: SavedState) -> None:
    """Refuse arrays that do not fit the system: its kernel would read beyond them."""
    n_players, system = len(saved.players), saved.system
    if len(saved.played) != n_players or (saved.last is not None and len(saved.last) != n_players):
        raise ValueError("counts of other players")
    if system is None:
        return
    one, more = system.start(n_players), system.start(n_players + 1)
    if type(saved.state) is not type(one):
        raise ValueError("the state of another system")
    for part in _parts(type(one)):
        array, usual, longer = (getattr(state, part.name) for state in (saved.state, one, more))
        if isinstance(usual, np.ndarray):
            if array.dtype != usual.dtype or array.shape[1:] != usual.shape[1:]:
                raise ValueError(f"{part.name} of another shape")
            if len(usual) != len(longer) and len(array) != n_players:
                raise ValueError(f"{part.name} of other players")
    if len(system.ratings(saved.state)) != n_players:
        raise ValueError("ratings of other players")
