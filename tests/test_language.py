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

GERMAN = ("phrases", "skat/words", "Ergebnis", "der ", "die ", "und ")
"""German keeps its blank before the sign of percent."""

PATTERNS = {
    r"\d %(?!})": "50%",
    r"\bof several\b(?! (?:games|events|dates|humps|words|systems|columns|files))": "multiplayer",
    r"\b(?:one|an?) (?:row|line|file|number|entry|seat|page|result|value) an? (?!value\b)\w+": "one row per match",
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
        if token.type in (tokenize.STRING, tokenize.COMMENT):
            for number, line in enumerate(token.string.splitlines()):
                yield token.start[0] + number, line


def files() -> list[Path]:
    found = [*(ROOT / "src").rglob("*.py"), *(ROOT / "src").rglob("*.html"), *(ROOT / "docs").rglob("*.md")]
    return sorted(path for path in [*found, ROOT / "README.md"] if path.name not in GENERATED)


@pytest.mark.parametrize("pattern", PATTERNS, ids=list(PATTERNS.values()))
def test_the_texts_are_plain_english(pattern: str) -> None:
    sought = re.compile(pattern)
    bad = [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()[:100]}"
        for path in files()
        for number, line in texts(path)
        if sought.search(line) and not any(word in line or word in str(path) for word in GERMAN)
    ]
    assert not bad, f"write {PATTERNS[pattern]!r}:\n" + "\n".join(bad)
