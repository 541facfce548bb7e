"""The frame of every page: one self-contained HTML file with the style in it, no network and no scripts."""

from __future__ import annotations

from html import escape
from pathlib import Path

from ludometer.drawing import separate_ids

_STYLE = (Path(__file__).parent / "pages" / "page.css").read_text(encoding="utf-8")


def frame_page(title: str, body: str, *, language: str = "en") -> str:
    """The whole page around a body of HTML; the title is plain text.

    >>> frame_page("A < B", "<h1>A</h1>").splitlines()[0], "<title>A &lt; B</title>" in frame_page("A < B", "")
    ('<!DOCTYPE html>', True)
    """
    return (
        f'<!DOCTYPE html>\n<html lang="{escape(language)}"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{_STYLE}</style></head>\n"
        f"<body><main>{separate_ids(body)}</main></body></html>\n"
    )
