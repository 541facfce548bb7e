"""Options as frozen dataclasses: each field declares its option, and a command gets one object instead of words.

@dataclass(frozen=True)
class RateOptions:
    file: FileOptions = group(FileOptions)
    top: int | None = option("--top", type=int, help="Only the first N players.")

@click.command("rate")
@takes(RateOptions)
def command(options: RateOptions) -> None: ...
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field, fields
from functools import wraps
from typing import Any, TypeVar

import click

Options = TypeVar("Options")


def option(*flags: str, **settings: Any) -> Any:
    """A field that is a command-line option; the settings are those of `click.option`."""
    return field(metadata={"declare": lambda name: click.option(*flags, name, **settings)})


def argument(**settings: Any) -> Any:
    """A field that is a command-line argument; the settings are those of `click.argument`."""
    return field(metadata={"declare": lambda name: click.argument(name, **settings)})


def group(options: type[Options]) -> Any:
    """A field that is a whole group of options, declared by another dataclass."""
    return field(metadata={"group": options})


def takes(options: type[Options]) -> Callable[[Callable[[Options], None]], Callable[..., None]]:
    """Give a command the options that the fields of a dataclass declare, in their order in the help."""

    def add(command: Callable[[Options], None]) -> Callable[..., None]:
        @wraps(command)
        def call(**values: Any) -> None:
            command(_build(options, values))

        function: Callable[..., None] = call
        for name, declare in reversed(_declarations(options)):
            function = declare(name)(function)
        return function

    return add


def _declarations(options: type[Any]) -> list[tuple[str, Callable[[str], Any]]]:
    """Every option by the name of its field, those of groups in place."""
    found: list[tuple[str, Callable[[str], Any]]] = []
    for one in fields(options):
        inner = one.metadata.get("group")
        found += _declarations(inner) if inner else [(one.name, one.metadata["declare"])]
    return found


def _build(options: type[Options], values: dict[str, Any]) -> Options:
    """The object of these values, with its groups."""
    given = {
        one.name: _build(one.metadata["group"], values) if "group" in one.metadata else values[one.name]
        for one in fields(options)  # type: ignore[arg-type]  # a dataclass
    }
    return options(**given)
