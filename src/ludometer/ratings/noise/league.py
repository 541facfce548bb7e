"""The noise of a league, from its record: errors of its ratings, triangles and drift in one study."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ludometer.errors import LudometerError
from ludometer.matches import Matches
from ludometer.parallel import Workers
from ludometer.ratings.cycles.triangles import Triangles, measure_triangles
from ludometer.ratings.noise.drift import Drift, measure_drift
from ludometer.ratings.noise.noise import Lifetimes, Noise, estimate_noise, measure_noise
from ludometer.ratings.systems.dynamic import Dynamic
from ludometer.result import Provenance, Shown

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True)
class LeagueNoise(Shown):
    """The noise that a step gives in a league, its triangles, and its drift under that step."""

    noise: Noise
    triangles: Triangles | None
    drift: Drift
    no_triangles: str | None = None
    """Why there are none."""

    @property
    def provenance(self) -> Provenance:
        """That of the noise."""
        return self.noise.provenance

    def to_frame(self) -> pl.DataFrame:
        """One row with the settings and the noise."""
        return self.noise.to_frame()

    def summary(self) -> str:
        """All three parts."""
        parts = [self.noise.summary()]
        if self.triangles is not None:
            parts.append("Triangles\n" + self.triangles.summary())
        return "\n\n".join([*parts, "Drift\n" + self.drift.summary()])

    def charts(self, *, narrow: bool = False) -> dict[str, Any]:
        """Noise by step, shares of triangles, and means by period."""
        parts = [self.noise, self.drift] if self.triangles is None else [self.noise, self.triangles, self.drift]
        return {name: chart for part in parts for name, chart in part.charts(narrow=narrow).items()}

    def document(self) -> dict[str, Any]:
        """The JSON document: that of the noise, with `triangles` and `drift`."""
        body = self.noise.document()
        absent = body.pop("absent")
        if self.no_triangles is not None:
            absent["triangles"] = self.no_triangles
        for name, part in (("triangles", self.triangles), ("drift", self.drift)):
            inner = None if part is None else part.document()
            body[name] = inner
            absent |= {f"{name}.{key}": reason for key, reason in (inner or {}).pop("absent", {}).items()}
        return body | {"absent": absent}


def study_noise(
    matches: Matches,
    *,
    step: float,
    sd: float | None = None,
    games: float | None = None,
    entry_error: float | None = None,
    lifetimes: Lifetimes = "fixed",
    period: float | str | None = None,
    seed: int = 0,
    workers: Workers | None = None,
) -> LeagueNoise:
    """Noise, triangles and drift of a record; `sd` and `games` replace those of the record in the noise.

    >>> from ludometer.simulate import simulate_strengths
    >>> study = study_noise(simulate_strengths(12, 600, seed=1), step=32)
    >>> study.triangles is not None, len(study.drift.period)
    (True, 10)
    """
    noise = estimate_noise(matches, step=step, entry_error=entry_error, lifetimes=lifetimes, seed=seed)
    if sd is not None or games is not None:
        noise = measure_noise(
            sd=noise.sd if sd is None else sd,
            games=noise.games if games is None else games,
            step=step,
            entry_error=entry_error,
            lifetimes=lifetimes,
        )
    triangles, reason = None, None
    try:
        triangles = measure_triangles(matches, seed=seed, workers=workers)
    except LudometerError as error:
        reason = str(error)
    return LeagueNoise(noise, triangles, measure_drift(matches, system=Dynamic(h=step), period=period), reason)
