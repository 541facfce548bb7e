"""Pages for paper: text, tables and charts on A4, page numbers, no clock times, the same bytes for the same content.

Fonts are part of the package and embedded. What is drawn is made of blocks, so that whoever has something to say needs
no knowledge of the library behind this module (reportlab, in the extra `pdf`).
"""

from __future__ import annotations

import io
import logging
from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import Any

from ludometer.errors import LudometerError

_LOG = logging.getLogger("ludometer")

_REGULAR, _BOLD = "DejaVuSans", "DejaVuSans-Bold"
_DOTS_PER_INCH = 220
_MILLIMETRE = 72 / 25.4
_MARGIN = 20 * _MILLIMETRE
_WIDTH, _HEIGHT = 210 * _MILLIMETRE, 297 * _MILLIMETRE
_ROOM = _WIDTH - 2 * _MARGIN

_SHORT = 15
"""A table with so many rows stays on one page."""


@dataclass(frozen=True)
class Heading:
    """Of a section, or of a part of it (level 2)."""

    text: str
    level: int = 1


@dataclass(frozen=True)
class Text:
    """A paragraph; what stands before it is bold."""

    text: str
    bold: str = ""
    size: float = 9.5
    bullet: bool = False


@dataclass(frozen=True)
class Table:
    """Cells are text; `widths` are parts of the width of the page, one for each column."""

    headers: Sequence[str]
    rows: Sequence[Sequence[str]]
    widths: Sequence[float]
    left: Sequence[int] = (0,)
    """Columns that are flush left; the others hold numbers."""
    size: float = 8.0


@dataclass(frozen=True, eq=False)
class Chart:
    """An Altair chart and what to see in it."""

    chart: Any
    caption: str


Block = Heading | Text | Table | Chart


@dataclass(frozen=True)
class Paper:
    """What is printed: title and blocks, and what the file says of itself."""

    title: str
    blocks: Sequence[Block]
    author: str = ""
    subject: str = ""
    footer: str = ""
    """Beside the page number."""
    front: Sequence[tuple[str, str]] = field(default_factory=tuple)
    """Names and values below the title."""


def require_reportlab() -> None:
    """Say what is missing before any work is done."""
    try:
        import reportlab  # noqa: F401
    except ImportError as error:
        raise LudometerError('a PDF needs reportlab: pip install "ludometer[pdf]"') from error


def write_pdf(paper: Paper, path: Path) -> None:
    """Write it, whole or not at all."""
    from ludometer.writing import replacing

    content = render_pdf(paper)
    with replacing(path) as draft:
        draft.write_bytes(content)
    _LOG.info("wrote %s", path)


def render_pdf(paper: Paper) -> bytes:
    """The bytes of the PDF: they depend on nothing but the paper."""
    require_reportlab()
    from reportlab.platypus import SimpleDocTemplate

    _register_fonts()
    target = io.BytesIO()
    document = SimpleDocTemplate(
        target,
        pagesize=(_WIDTH, _HEIGHT),
        # the frame of a page adds 6 points on each side
        leftMargin=_MARGIN - 6,
        rightMargin=_MARGIN - 6,
        topMargin=_MARGIN,
        bottomMargin=_MARGIN,
        title=paper.title,
        author=paper.author,
        subject=paper.subject,
        creator="ludometer",
        lang="en",
        invariant=1,
    )
    document.build(_flow(paper), canvasmaker=_numbered(paper))
    return target.getvalue()


def _flow(paper: Paper) -> list[Any]:
    from reportlab.platypus import Spacer

    parts: list[Any] = [_paragraph(paper.title, size=18, bold=True, after=10)]
    if paper.front:
        rows = [[name, value] for name, value in paper.front]
        parts += [_table(Table((), rows, (0.2, 0.8), left=(0, 1), size=8.5)), Spacer(0, 8)]
    headings: list[Any] = []
    for block in paper.blocks:
        if isinstance(block, Heading):
            size, before = (13, 14) if block.level == 1 else (10.5, 9)
            headings.append(_paragraph(block.text, size=size, bold=True, before=before, after=4))
            continue
        # a heading does not stand alone at the foot of a page
        first, *rest = _draw(block)
        parts += [*_joined(headings, first), *rest]
        headings = []
    return parts + headings


def _joined(headings: list[Any], first: Any) -> list[Any]:
    """Headings and what begins below them, on one page; of a long table at least its first rows."""
    from reportlab.platypus import CondPageBreak, KeepTogether
    from reportlab.platypus import Table as Grid

    if not headings:
        return [first]
    if isinstance(first, Grid):
        return [CondPageBreak(100), *headings, first]
    return [KeepTogether([*headings, *(first._content if isinstance(first, KeepTogether) else [first])])]


def _draw(block: Text | Table | Chart) -> list[Any]:
    from reportlab.platypus import KeepTogether, Spacer

    if isinstance(block, Text):
        lead = f'<font name="{_BOLD}">{_clean(block.bold)}</font> ' if block.bold else ""
        return [_paragraph(block.text, size=block.size, lead=lead, bullet=block.bullet)]
    if isinstance(block, Table):
        grid = _table(block)
        return [KeepTogether([grid]) if len(block.rows) <= _SHORT else grid, Spacer(0, 6)]
    return [KeepTogether([_picture(block.chart), _paragraph(block.caption, size=8, after=8, grey=True)])]


def _paragraph(
    text: str,
    *,
    size: float = 9.5,
    bold: bool = False,
    lead: str = "",
    before: float = 0,
    after: float = 4,
    right: bool = False,
    grey: bool = False,
    bullet: bool = False,
) -> Any:
    from reportlab.lib.enums import TA_LEFT, TA_RIGHT
    from reportlab.lib.styles import ParagraphStyle
    from reportlab.platypus import Paragraph

    style = ParagraphStyle(
        "text",
        fontName=_BOLD if bold else _REGULAR,
        fontSize=size,
        leading=1.35 * size,
        spaceBefore=before,
        spaceAfter=after,
        alignment=TA_RIGHT if right else TA_LEFT,
        textColor="#56616d" if grey else "#1c2733",
        leftIndent=10 if bullet else 0,
        bulletFontName=_REGULAR,
        bulletFontSize=size,
        # long words, such as fingerprints, are broken where the line ends
        splitLongWords=1,
    )
    return Paragraph(lead + _clean(text), style, bulletText="•" if bullet else None)


def _table(table: Table) -> Any:
    from reportlab.platypus import Table as Grid

    def line(cells: Sequence[str], bold: bool) -> list[Any]:
        return [
            _paragraph(cell, size=table.size, bold=bold, after=0, right=column not in table.left)
            for column, cell in enumerate(cells)
        ]

    rows = [*([line(table.headers, True)] if table.headers else []), *(line(row, False) for row in table.rows)]
    total = sum(table.widths)
    grid = Grid(rows, colWidths=[_ROOM * width / total for width in table.widths], repeatRows=int(bool(table.headers)))
    grid.setStyle(
        [
            ("VALIGN", (0, 0), (-1, -1), "TOP"),
            ("LINEBELOW", (0, 0), (-1, -1), 0.4, "#d9dee3"),
            ("LEFTPADDING", (0, 0), (0, -1), 0),
            ("LEFTPADDING", (1, 0), (-1, -1), 6),
            ("RIGHTPADDING", (0, 0), (-1, -1), 2),
            ("TOPPADDING", (0, 0), (-1, -1), 2.5),
            ("BOTTOMPADDING", (0, 0), (-1, -1), 3.5),
        ]
    )
    return grid


def _picture(chart: Any) -> Any:
    """The chart as wide as the page, or as it is if that is less."""
    from reportlab.lib.utils import ImageReader
    from reportlab.platypus import Image

    png = io.BytesIO(_to_png(chart))
    width, height = (72 / _DOTS_PER_INCH * dots for dots in ImageReader(png).getSize())
    scale = min(1.0, _ROOM / width)
    png.seek(0)
    return Image(png, width * scale, height * scale, hAlign="LEFT")


def _to_png(chart: Any) -> bytes:
    """Drawn with the fonts of the package: those of the machine would change the picture."""
    import vl_convert

    from ludometer.chart_style import to_spec

    vl_convert.register_font_directory(str(_fonts()))
    spec = to_spec(chart, font="DejaVu Sans")
    png: bytes = vl_convert.vegalite_to_png(spec, ppi=_DOTS_PER_INCH)
    return png


def _numbered(paper: Paper) -> type:
    """A canvas that knows how many pages there are when it writes their numbers."""
    from reportlab.pdfgen.canvas import Canvas

    class Numbered(Canvas):  # type: ignore[misc, unused-ignore]
        def __init__(self, *places: Any, **names: Any) -> None:
            super().__init__(*places, **names)
            self._pages: list[dict[str, Any]] = []

        def showPage(self) -> None:  # noqa: N802 - reportlab's name
            self._pages.append(dict(self.__dict__))
            self._startPage()

        def save(self) -> None:
            for number, page in enumerate(self._pages, 1):
                self.__dict__.update(page)
                self.setFont(_REGULAR, 8)
                self.setFillColor("#56616d")
                self.drawString(_MARGIN, _MARGIN / 2, _shortened(paper.footer, _ROOM - 80))
                self.drawRightString(_WIDTH - _MARGIN, _MARGIN / 2, f"Page {number} of {len(self._pages)}")
                super().showPage()
            super().save()

    return Numbered


def _shortened(text: str, room: float, size: float = 8) -> str:
    """As much of a line as there is room for."""
    from reportlab.pdfbase.pdfmetrics import stringWidth

    shown = _shown(text.replace("\n", " "))
    if stringWidth(shown, _REGULAR, size) <= room:
        return shown
    while shown and stringWidth(f"{shown}…", _REGULAR, size) > room:
        shown = shown[:-1]
    return f"{shown}…"


def _fonts() -> Path:
    return Path(str(files("ludometer.report") / "fonts"))


def _register_fonts() -> None:
    from reportlab.pdfbase import pdfmetrics
    from reportlab.pdfbase.ttfonts import TTFont

    for name in (_REGULAR, _BOLD):
        # anew for each paper: a font remembers which characters it has been asked for
        pdfmetrics.registerFont(TTFont(name, str(_fonts() / f"{name}.ttf")))
    pdfmetrics.registerFontFamily(_REGULAR, normal=_REGULAR, bold=_BOLD, italic=_REGULAR, boldItalic=_BOLD)


def _clean(text: str) -> str:
    """Text, never markup; its line breaks stay."""
    return escape(_shown(text), quote=False).replace("\n", "<br/>")


def _shown(text: str) -> str:
    """With a sign in the place of characters that the font does not have."""
    from reportlab.pdfbase import pdfmetrics

    known = pdfmetrics.getFont(_REGULAR).face.charToGlyph
    return "".join(mark if mark == "\n" or ord(mark) in known else "\ufffd" for mark in text)
