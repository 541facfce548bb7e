"""The words of the program: plain English in help, messages, pages, docs and docstrings."""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
GENERATED = {"reproductions.md", "library.md"}
"""Pages that a script writes: their words stand in the sources."""

GERMAN = ("skat/language.py", "docs/skat.md")
"""Files with German text, which keeps its blank before the sign of percent."""

PERCENT = r"\d %(?!})"

PATTERNS = {
    PERCENT: "50%",
    r"\bof several\b(?! (?:games|events|dates|humps|words|systems|columns|files))": "multiplayer",
    r"\b(?:one|an?) (?:row|line|file|number|entry|seat|page|result|rating) an? (?!value\b)\w+": "one row per match",
    r"\b(?:he|his|him|himself)\b": "they",
    r"\bas at random\b": "look random",
    r"\bthe rest coins\b": "a coin decides the rest",
    r"\bhangs? on\b": "depends on",
    r"\bmade again\b": "reproduced",
    r"\bsome seconds\b": "a few seconds",
    r"\bSeed of all chance\b": "Random seed",
    r"\bso far as\b": "as far as",
}


def texts(path: Path) -> Iterator[tuple[int, str]]:
    """The strings and comments of a Python file, or the lines of another file, with their line numbers."""
    text = path.read_text(encoding="utf-8")
    if path.suffix != ".py":
        yield from enumerate(text.splitlines(), 1)
        return
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        # from Python 3.12 on the text of f-strings is a token of its own
        if token.type in (tokenize.STRING, tokenize.COMMENT, getattr(tokenize, "FSTRING_MIDDLE", -1)):
            for number, line in enumerate(token.string.splitlines()):
                yield token.start[0] + number, line


def files() -> list[Path]:
    sources = [path for ending in ("py", "html", "json") for path in (ROOT / "src").rglob(f"*.{ending}")]
    found = [*sources, *(ROOT / "docs").rglob("*.md")]
    return sorted(path for path in [*found, ROOT / "README.md"] if path.name not in GENERATED)


@pytest.mark.parametrize("pattern", PATTERNS, ids=list(PATTERNS.values()))
def test_the_texts_are_plain_english(pattern: str) -> None:
    sought = re.compile(pattern)
    bad = [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()[:100]}"
        for path in files()
        for number, line in texts(path)
        if sought.search(line) and not (pattern == PERCENT and path.as_posix().endswith(GERMAN))
    ]
    assert not bad, f"write {PATTERNS[pattern]!r}:\n" + "\n".join(bad)
