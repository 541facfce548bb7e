"""Packages whose public names are loaded on first use, so that importing a package costs nothing."""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any


def load_on_use(package: str) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """`__getattr__` and `__dir__` of a package that lists its public names once, as imports for type checkers.

        if TYPE_CHECKING:
            from ludometer.ratings.driver import Ratings as Ratings, rate as rate

        __getattr__, __dir__ = load_on_use(__name__)

    The list is read from the package's source when the first name is asked for; `__all__` follows from it.
    """
    homes: dict[str, str] = {}

    def names() -> dict[str, str]:
        if not homes:
            homes.update(_listed_names(package))
        return homes

    def load(name: str) -> Any:
        if name == "__all__":
            return sorted(names())
        if name.startswith("__") or name not in names():
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(import_module(homes[name]), name)
        setattr(sys.modules[package], name, value)
        return value

    def list_names() -> list[str]:
        return sorted({*vars(sys.modules[package]), *names()})

    return load, list_names


def _listed_names(package: str) -> dict[str, str]:
    """Public names and the modules that define them, from the imports below `if TYPE_CHECKING:`."""
    import ast
    import inspect

    listed: dict[str, str] = {}
    for block in ast.parse(inspect.getsource(sys.modules[package])).body:
        if isinstance(block, ast.If):
            imports = [part for part in block.body if isinstance(part, ast.ImportFrom)]
            listed |= {alias.name: str(part.module) for part in imports for alias in part.names}
    return listed
