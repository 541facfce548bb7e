"""Commands and rating systems that slices and other packages register through entry points.

An entry point in the group `ludometer.commands` names a click command; one in `ludometer.systems` names an `Entry` of
`ludometer.ratings.catalogue`.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

COMMANDS = "ludometer.commands"
SYSTEMS = "ludometer.systems"


def load_extension(group: str, name: str) -> Any:
    """The object that an entry point names."""
    return load_reference(find_extensions(group)[name])


def load_reference(reference: str) -> Any:
    """The object at module:attribute.

    >>> load_reference("math:pi") > 3
    True
    """
    module, _, attribute = reference.partition(":")
    return getattr(importlib.import_module(module), attribute)


@cache
def find_extensions(group: str) -> dict[str, str]:
    """Names and references (module:attribute) of all installed entry points of a group, in order of the search path.

    The files are read here because importing importlib.metadata takes as long as all of `ludometer --help`.
    """
    found: dict[str, str] = {}
    seen: set[str] = set()
    for folder in map(Path, sys.path):
        for file in (*folder.glob("*.dist-info/entry_points.txt"), *folder.glob("*.egg-info/entry_points.txt")):
            distribution = file.parent.name.partition("-")[0].lower()
            if distribution not in seen:
                # of two versions the first on the search path counts, as for imports
                seen.add(distribution)
                found |= {name: reference for name, reference in _entries(file, group) if name not in found}
    return found


def _entries(file: Path, group: str) -> Iterator[tuple[str, str]]:
    """The lines `name = module:attribute` below `[group]`."""
    section = ""
    for line in map(str.strip, file.read_text(encoding="utf-8").splitlines()):
        if line.startswith("["):
            section = line.strip("[]")
        elif section == group and "=" in line and not line.startswith("#"):
            name, reference = line.split("=", 1)
            yield name.strip(), reference.split("[")[0].strip()
