"""One way out for any result: text on the screen, a JSON document, a page."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ludometer.wording import printable

if TYPE_CHECKING:
    from ludometer.result import Provenance, Result

_LOG = logging.getLogger("ludometer")

Text = Callable[[], str]
Document = Callable[[], dict[str, Any]]


@dataclass(frozen=True)
class Output:
    """Where results go besides the screen; JSON on standard output ("-") keeps everything else off it."""

    command: str
    json_file: str | None = None
    html: Path | None = None

    @property
    def is_quiet(self) -> bool:
        """Whether standard output is for the JSON alone."""
        return self.json_file == "-"


@dataclass(frozen=True)
class Part:
    """What is shown for one value of --by, or for a whole file; without a text or a document, the result's own."""

    value: str | None
    result: Result
    text: Text | None = None
    document: Document | None = None
    data: Mapping[str, Any] = field(default_factory=dict)
    """What the result rests on: the entry `data` of the document."""


def present(
    result: Result,
    output: Output,
    *,
    text: Text | None = None,
    document: Document | None = None,
    page: Text | None = None,
) -> None:
    """Show a result, and write what was asked for.

    The text is the result's summary, the document its own, unless others are given; a page has to be given.
    """
    if not output.is_quiet and (shown := (text or result.summary)()):
        show(shown)
    if output.json_file:
        _write_document((document or result.document)(), [result.provenance], output)
    if output.html and page is not None:
        write_text(page(), output.html)


def present_parts(
    parts: Sequence[Part],
    output: Output,
    *,
    by: str | None,
    left_out: Mapping[str, str] | None = None,
    page: Text | None = None,
) -> None:
    """Show the results of a whole file (one part) or of the values of --by, one after another, in one document.

    `left_out` are values without a result, with the reason. A page of all of them has to be given.
    """
    if not output.is_quiet:
        titles = ("" if by is None else f"{by}: {part.value}\n" for part in parts)
        texts = ((part.text or part.result.summary)() for part in parts)
        show("\n\n".join(title + text for title, text in zip(titles, texts, strict=True)))
    if output.json_file:
        bodies = [(part.document or part.result.document)() | {"data": part.data} for part in parts]
        body = bodies[0] if by is None else _join(by, [part.value for part in parts], bodies, left_out or {})
        _write_document(body, [part.result.provenance for part in parts], output)
    if output.html and page is not None:
        write_text(page(), output.html)


def _join(
    by: str, values: Sequence[str | None], bodies: Sequence[dict[str, Any]], left_out: Mapping[str, str]
) -> dict[str, Any]:
    """One document for all groups; what is absent in a group is listed under its place."""
    absent = {
        f"groups.{place}.{name}": reason
        for place, body in enumerate(bodies)
        for name, reason in body.get("absent", {}).items()
    }
    groups = [
        {"value": value} | {name: entry for name, entry in body.items() if name != "absent"}
        for value, body in zip(values, bodies, strict=True)
    ]
    absent |= {f"groups.{value}": reason for value, reason in left_out.items()}
    return {"by": by, "groups": groups, "absent": absent}


def _write_document(body: dict[str, Any], origins: Sequence[Provenance], output: Output) -> None:
    from ludometer.report.files import write_json

    assert output.json_file is not None
    write_json(body | {"provenance": describe_provenance(origins, output.command)}, output.json_file)


def write_text(text: str, path: Path) -> None:
    """Write a page or a chart, whole or not at all."""
    from ludometer.writing import replacing

    with replacing(path) as draft:
        # names of files may hold bytes that are no text
        draft.write_text(text, encoding="utf-8", errors="replace")
    _LOG.info("wrote %s", path)


def show(text: str) -> None:
    """Print text whose names cannot play tricks with the terminal."""
    sys.stdout.write("\n".join(printable(line) for line in text.split("\n")) + "\n")
    sys.stdout.flush()


def describe_provenance(origins: Sequence[Provenance], command: str) -> dict[str, Any]:
    """How to reproduce the results; several fingerprints stand in the order of the results."""
    data = [str(origin.data) for origin in origins if origin.data is not None]
    return {"version": origins[0].version, "command": command, "seed": origins[0].seed, "data": ",".join(data) or None}
