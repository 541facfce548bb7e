"""The court's copy of a measurement: its options, and how it is written."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ludometer.cli.declared import OutFile, option
from ludometer.cli.shared import command_line
from ludometer.errors import LudometerError

if TYPE_CHECKING:
    from ludometer.measurement import Measurement

_TARGETS = ("--pdf", "--html", "--json")
_MOST_LISTED = 20
"""Files of a record in parts that the front page lists one by one."""


@dataclass(frozen=True)
class CourtOptions:
    """A copy on paper, and what its front page says."""

    pdf: Path | None = option(
        "--pdf", type=OutFile(), metavar="FILE", help="Write a report for a court: A4, with the file's SHA-256."
    )
    author: str = option("--author", default="", metavar="TEXT", help="Author on the front page of --pdf.")
    case: str = option("--case", default="", metavar="TEXT", help="Case on the front page of --pdf.")
    experts: Path | None = option(
        "--experts",
        metavar="FILE",
        help="Names of players who were called skilled before the record began, one per line.",
    )

    def check(self, *, is_one: bool, quick: bool) -> None:
        """Refuse what cannot be written before any work is done."""
        if self.pdf is None:
            return
        from ludometer.report.pdf import require_reportlab

        if not is_one:
            raise LudometerError("--pdf is about one game: name one file, without --by")
        if quick:
            raise LudometerError("--pdf needs the verdict: leave out --quick and --share")
        require_reportlab()

    def names(self) -> list[str] | None:
        """The experts who were named."""
        if self.experts is None:
            return None
        try:
            lines = Path(self.experts).read_text(encoding="utf-8-sig").splitlines()
        except (OSError, UnicodeDecodeError) as error:
            raise LudometerError(f"--experts {self.experts}: cannot be read ({error})") from error
        names = [line.strip() for line in lines if line.strip()]
        if not names:
            raise LudometerError(f"--experts {self.experts}: no names in it; write one per line")
        return names

    def write(self, name: str, game: Measurement, files: Sequence[str], remarks: Sequence[str]) -> None:
        """Write the copy, if one was asked for."""
        if self.pdf is None:
            return
        from ludometer.report.court import Case, compose_court_copy
        from ludometer.report.pdf import write_pdf

        case = Case(self.author, self.case, tuple(digest_files(files)), command_line(without=_TARGETS))
        write_pdf(compose_court_copy(name, game, case, remarks=remarks), self.pdf)


def digest_files(sources: Sequence[str]) -> list[tuple[str, str]]:
    """Name and SHA-256 of each file that was read; many parts of one record have one digest of their digests."""
    from ludometer.read.files.parts import find_parts

    found: list[tuple[str, str]] = []
    for source in sources:
        if source == "-":
            found.append(("standard input", "unknown: the record came through standard input"))
            continue
        parts = find_parts(source) or [Path(source)]
        digests = [(part.name, _digest(part)) for part in parts]
        if len(digests) > _MOST_LISTED:
            listed = "".join(f"{digest}  {name}\n" for name, digest in digests)
            whole = hashlib.sha256(listed.encode()).hexdigest()
            digests = [(f"{source} ({len(parts):,} files; the SHA-256 of the list that sha256sum prints)", whole)]
        found += digests
    return found


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
