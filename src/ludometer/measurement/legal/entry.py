"""One test from the literature: what it asks, what it found in this record, what it can and cannot show."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

Interval = tuple[float, float | None]
"""95%; without an upper end where there is no limit."""

_NO_LIMIT = "no number of matches is enough"


@dataclass(frozen=True)
class Literature:
    """Where a test comes from, and how far it reaches; as literature, not as legal advice."""

    test: str
    question: str
    shows: str
    does_not_show: str
    source: str
    argued: str
    """Where it was argued, or the debate that it was written for."""


@dataclass(frozen=True)
class LegalTest:
    """A test and its figure for one record."""

    literature: Literature
    figure: float | None
    interval: Interval | None
    """None where there is no figure, or where the figure has none."""
    in_words: str
    """The figure with its unit and interval, or a dash."""
    says: str
    """What it says of this record, or why there is no figure."""
    chance: float | None = None
    """What the figure would be in a game of pure chance."""
    details: Mapping[str, Any] = field(default_factory=dict)
    """Further numbers, by name."""
    without_interval: str = ""
    """Why a figure has no interval."""

    @property
    def test(self) -> str:
        """Its name."""
        return self.literature.test

    def document(self) -> dict[str, Any]:
        """The entry of the JSON document."""
        told = self.literature
        return {
            "test": told.test,
            "question": told.question,
            "figure": self.figure,
            "interval": None if self.interval is None else list(self.interval),
            "chance": self.chance,
            "in_words": self.in_words,
            "says": self.says,
            "shows": told.shows,
            "does_not_show": told.does_not_show,
            "source": told.source,
            "argued": told.argued,
            "details": dict(self.details),
        }

    def absent(self, place: str) -> dict[str, str]:
        """Why parts of the entry at this place of the document are null."""
        reasons: dict[str, str] = {}
        if self.figure is None:
            reasons |= {f"{place}.{name}": self.says for name in ("figure", "interval")}
        elif self.interval is None:
            reasons[f"{place}.interval"] = self.without_interval
        if self.chance is None:
            reasons[f"{place}.chance"] = self.says if self.figure is None else "chance alone sets no value"
        if self.interval is not None and self.interval[1] is None:
            reasons[f"{place}.interval.1"] = _NO_LIMIT
        return reasons | dict.fromkeys(_nulls(dict(self.details), f"{place}.details"), _NO_LIMIT)


def _nulls(part: Any, place: str) -> list[str]:
    """Where a part of the document is null."""
    if part is None:
        return [place]
    inside = part.items() if isinstance(part, dict) else enumerate(part) if isinstance(part, list) else ()
    return [found for name, entry in inside for found in _nulls(entry, f"{place}.{name}")]


def absent(literature: Literature, reason: str) -> LegalTest:
    """A test that does not apply to this record, and why."""
    return LegalTest(literature, None, None, "-", reason)
