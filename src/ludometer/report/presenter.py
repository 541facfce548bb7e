"""One way out for any result: text on the screen, a JSON document, a page."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ludometer.report.files import replacing, write_json
from ludometer.report.text import printable

if TYPE_CHECKING:
    from ludometer.result import Provenance, Result


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


def present(
    result: Result,
    output: Output,
    *,
    text: Callable[[], str] | None = None,
    document: Callable[[], dict[str, Any]] | None = None,
    page: Callable[[], str] | None = None,
) -> None:
    """Show a result, and write what was asked for.

    The text is the result's summary, the document its own, unless others are given; a page has to be given.
    """
    if not output.is_quiet:
        show((text or result.summary)())
    if output.json_file:
        body = (document or result.document)()
        write_json(body | {"provenance": describe_provenance([result.provenance], output.command)}, output.json_file)
    if output.html and page is not None:
        with replacing(output.html) as draft:
            # names of files may hold bytes that are no text
            draft.write_text(page(), encoding="utf-8", errors="replace")


def show(text: str) -> None:
    """Print text whose names cannot play tricks with the terminal."""
    sys.stdout.write("\n".join(printable(line) for line in text.split("\n")) + "\n")


def describe_provenance(origins: Sequence[Provenance], command: str) -> dict[str, Any]:
    """How to make the results again; several fingerprints stand in the order of the results."""
    data = [str(origin.data) for origin in origins if origin.data is not None]
    return {"version": origins[0].version, "command": command, "seed": origins[0].seed, "data": ",".join(data) or None}
