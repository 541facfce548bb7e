"""The documentation site: `make docs` builds it into build/docs; nothing in it needs a network to be read."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import ludometer

SHOTS = Path(__file__).parents[1] / "build" / "screenshots"
"""Where scripts/make_screenshots.py puts pictures and the reports that they show."""

project = "ludometer"
author = "the ludometer project"
copyright = "the ludometer project, Apache-2.0"
version = release = ludometer.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc"]
highlight_language = "none"
default_role = "code"
nitpicky = True
nitpick_ignore_regex = [("py:.*", ".*")]  # types of NumPy, Polars and the like: their documentation is in the network
suppress_warnings = ["ref.python"]  # two results are called Calibration, one of forecasts and one of moves

myst_heading_anchors = 4

autodoc_default_options = {"members": True, "member-order": "bysource"}
autodoc_typehints_format = "short"
python_use_unqualified_type_names = True
python_maximum_signature_line_length = 100
toc_object_entries_show_parents = "hide"

html_theme = "furo"
html_title = f"ludometer {version}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_extra_path = [str(SHOTS / "reports")] if (SHOTS / "reports").is_dir() else []
html_copy_source = False
html_show_sphinx = False


def put_pictures(_app: Any, docname: str, source: list[str]) -> None:
    """Turn `<!-- screenshot: NAME | CAPTION | REPORT -->` into a figure, or a link where there is no picture of it."""
    up = "../" * docname.count("/")

    def put(comment: re.Match[str]) -> str:
        name, caption, *report = (part.strip() for part in comment[1].split("|"))
        picture = next((path for path in SHOTS.glob(f"{name}.*") if path.is_file()), None)
        address = f"{up}{report[0]}" if report and (SHOTS / "reports" / report[0]).is_file() else None
        if picture is not None:
            target = f":target: {address}\n" if address else ""
            alt = caption.replace("`", "")
            return f"```{{figure}} {up}../build/screenshots/{picture.name}\n:alt: {alt}\n{target}\n{caption}\n```"
        return f'<p><a href="{address}">{caption}</a></p>' if address else ""

    source[0] = re.sub(r"^<!-- screenshot: (.*?) -->$", put, source[0], flags=re.M)


def keep_signs(_app: Any, _what: str, _name: str, _value: Any, _options: Any, lines: list[str]) -> None:
    """Docstrings are plain sentences: a bar or a star in them is no markup, outside of code."""
    in_example = False
    for number, line in enumerate(lines):
        in_example = line.startswith(">>>") or (in_example and bool(line.strip()))
        if not in_example:
            lines[number] = re.sub(r"(`[^`]*`)|([|*])", lambda found: found[1] or rf"\{found[2]}", line)


def setup(app: Any) -> None:
    """Listen to Sphinx."""
    app.connect("source-read", put_pictures)
    app.connect("autodoc-process-docstring", keep_signs)
