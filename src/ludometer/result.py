"""What every result can do: be a table, a few lines, charts, JSON, a notebook cell; and where it came from."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from html import escape
from typing import TYPE_CHECKING, Any, Protocol

from ludometer.version import __version__

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True)
class Provenance:
    """How to reproduce a result: version, method, parameters, seed, and a fingerprint of the data."""

    method: str
    parameters: dict[str, Any] = field(default_factory=dict)
    data: str | None = None
    seed: int | None = None
    version: str = __version__

    def absent(self) -> dict[str, str]:
        """Why parts of it are null in a JSON document."""
        unread = {} if self.data is not None else {"provenance.data": "no file was read"}
        return unread if self.seed is not None else unread | {"provenance.seed": "nothing was simulated"}


class Result(Protocol):
    """What reports, the command line and notebooks need of any result. `Shown` supplies the last two methods."""

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

    def charts(self, *, narrow: bool = False) -> dict[str, Any]:
        """Altair charts by name, the one that says most first; `narrow` for a phone."""
        ...

    def document(self) -> dict[str, Any]:
        """The JSON document; what is null has its reason under `absent`."""
        ...

    def plot(self) -> Any:
        """The chart that says most."""
        ...

    def _repr_html_(self) -> str: ...


class Shown(ABC):
    """A result that shows itself: its first chart on request, and its summary and charts in a notebook."""

    @abstractmethod
    def summary(self) -> str:
        """A few lines for a reader."""

    @abstractmethod
    def to_frame(self) -> pl.DataFrame:
        """The numbers as a table."""

    def document(self) -> dict[str, Any]:
        """The rows of the table, unless the result has a document of its own."""
        return {"rows": self.to_frame().to_dicts(), "absent": {}}

    def charts(self, *, narrow: bool = False) -> dict[str, Any]:  # noqa: ARG002 - results without charts have one size
        """No charts, unless the result draws some."""
        return {}

    def plot(self) -> Any:
        """The chart that says most, styled. To layer or join charts take those of `charts`, and style the whole."""
        from ludometer.chart_style import style

        return style(next(iter(self.charts().values())))

    def _repr_html_(self) -> str:
        from ludometer.chart_style import separate_ids, to_svg

        drawn = "".join(f"<div>{to_svg(chart)}</div>" for chart in self.charts().values())
        return f"<pre>{escape(self.summary())}</pre>{separate_ids(drawn)}"
