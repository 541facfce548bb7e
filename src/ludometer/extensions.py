"""Extensions: commands and rating systems that slices, and strangers' packages, register through entry points.

A package adds a command with an entry point in the group `ludometer.commands` that names a click command, and a rating
system with one in `ludometer.systems` that names an `Entry` of the catalogue.
"""

from __future__ import annotations

import importlib
import sys
from functools import cache
from pathlib import Path
from typing import Any

COMMANDS = "ludometer.commands"
SYSTEMS = "ludometer.systems"


def load_extension(group: str, name: str) -> Any:
    """The object that an entry point names."""
    module, _, attribute = find_extensions(group)[name].partition(":")
    return getattr(importlib.import_module(module), attribute)


@cache
def find_extensions(group: str) -> dict[str, str]:
    """Names and references (module:attribute) of all installed entry points of a group, in order of the search path.

    The files are read here because importing importlib.metadata takes as long as the whole of `ludometer --help`.
    """
    found: dict[str, str] = {}
    for folder in map(Path, sys.path):
        for file in (*folder.glob("*.dist-info/entry_points.txt"), *folder.glob("*.egg-info/entry_points.txt")):
            for name, reference in _entries(file.read_text(encoding="utf-8"), group):
                found.setdefault(name, reference)
    return found


def _entries(text: str, group: str) -> list[tuple[str, str]]:
    """The lines `name = module:attribute` below `[group]`."""
    _, _, after = text.partition(f"[{group}]\n")
    section, _, _ = after.partition("\n[")
    pairs = (line.split("=", 1) for line in section.splitlines() if "=" in line)
    return [(name.strip(), reference.split("[")[0].strip()) for name, reference in pairs]
