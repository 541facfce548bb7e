"""What every result has: a frame, a summary, a plot, and where it came from."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from ludometer.version import __version__

if TYPE_CHECKING:
    import altair
    import polars as pl


@dataclass(frozen=True)
class Provenance:
    """How a result can be made again: version, method, parameters, seed, and a fingerprint of the data."""

    method: str
    parameters: dict[str, Any] = field(default_factory=dict)
    data: str | None = None
    seed: int | None = None
    version: str = __version__


class Result(Protocol):
    """One frozen class a kind of result."""

    @property
    def provenance(self) -> Provenance:
        """Where it came from."""
        ...

    def to_frame(self) -> pl.DataFrame:
        """The numbers as a table."""
        ...

    def summary(self) -> str:
        """At most 20 lines for a reader."""
        ...

    def plot(self) -> altair.Chart:
        """The picture that says most."""
        ...
