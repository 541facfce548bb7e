"""How options are declared: frozen dataclasses whose fields are options, and the kinds of options that click lacks.

@dataclass(frozen=True)
class RateOptions:
    file: str = argument()
    reading: FileOptions = group(FileOptions)
    top: int | None = option("--top", type=int, help="Only the first N players.")

@click.command("rate")
@takes(RateOptions)
def command(options: RateOptions) -> None: ...
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import field, fields
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar

import click
from click.core import ParameterSource

from ludometer.errors import LudometerError

Options = TypeVar("Options")


def option(*flags: str, **settings: Any) -> Any:
    """A field that is a command-line option; the settings are those of `click.option`.

    The default of the option is that of the field, so that the dataclass can be made without a command line; help shows
    it, or the words in `show_default` that describe it.
    """
    if isinstance(settings.get("show_default"), str):
        settings["cls"] = WordedDefault
    elif settings.get("default") is not None:
        settings.setdefault("show_default", True)
    return _declared(settings, lambda name: click.option(*flags, name, **settings))


def argument(**settings: Any) -> Any:
    """A field that is a command-line argument; the settings are those of `click.argument`."""
    settings = {"required": True} | settings
    return _declared(settings, lambda name: click.argument(name, **settings))


def group(options: type[Options]) -> Any:
    """A field that is a whole group of options, declared by another dataclass."""
    return field(kw_only=True, default_factory=options, metadata={"group": options})


def _declared(settings: dict[str, Any], declare: Callable[[str], Any]) -> Any:
    metadata = {"declare": declare}
    if settings.get("required"):
        return field(kw_only=True, metadata=metadata)
    is_many = settings.get("multiple") or settings.get("nargs", 1) != 1
    nothing = () if is_many else False if settings.get("is_flag") else None
    return field(kw_only=True, default=settings.get("default", nothing), metadata=metadata)


def takes(options: type[Options]) -> Callable[[Callable[[Options], None]], Callable[..., None]]:
    """Give a command the options that the fields of a dataclass declare, in their order in the help."""
    declarations = _declarations(options)
    names = [name for name, _ in declarations]
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise TypeError(f"{options.__name__}: two options are called {twice}")

    def add(command: Callable[[Options], None]) -> Callable[..., None]:
        @wraps(command)
        def call(**values: Any) -> None:
            command(_build(options, values))

        function: Callable[..., None] = call
        for name, declare in reversed(declarations):
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


def refuse_options(reason: str, *, kept: tuple[str, ...] | None = None, refused: tuple[str, ...] = ()) -> None:
    """Refuse options that were given but would do nothing: all but the fields in `kept`, or those in `refused`."""
    context = click.get_current_context()
    for parameter in context.command.params:
        name = parameter.name or ""
        is_idle = name in refused if kept is None else name not in kept
        if is_idle and context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            raise LudometerError(f"{reason}: leave out {parameter.opts[-1]}")


class InOrder(click.Group):
    """A group that lists its commands in the order of their definition, not of the alphabet."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """In the order of use."""
        return list(self.commands)


class WordedDefault(click.Option):
    """An option that describes its default in words, in the same brackets as the range of its numbers."""

    def get_help_extra(self, ctx: click.Context) -> click.types.OptionHelpExtra:
        """What stands in brackets, without click's parentheses around words."""
        extra = super().get_help_extra(ctx)
        if isinstance(self.show_default, str):
            extra["default"] = self.show_default
        return extra


class Number(click.FloatRange):
    """A finite number, where click's own floats include nan and inf; the example is part of the message."""

    def __init__(
        self,
        min: float | None = None,
        max: float | None = None,
        *,
        min_open: bool = False,
        max_open: bool = False,
        example: float | None = None,
        word: str | None = None,
    ) -> None:
        super().__init__(min, max, min_open, max_open)
        self.example = example
        self.word = word
        """A word that may stand instead of the number."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The number in its range, or the word."""
        if self.word is not None and value == self.word:
            return value
        try:
            number = super().convert(value, None, ctx)
        except click.BadParameter:
            number = math.nan
        if not math.isfinite(number):
            flag = param.opts[-1] if param else "number"
            raise LudometerError(f"{flag} {value}: write {self._wanted()}")
        return number

    def _wanted(self) -> str:
        if self.max is not None and self.min is not None:
            text = f"a number from {self.min:g} to {self.max:g}"
        elif self.min is not None:
            text = f"a number above {self.min:g}" if self.min_open else f"a number from {self.min:g} up"
        else:
            text = "a number"
        text += "" if self.example is None else f", such as {self.example:g}"
        return text if self.word is None else f"{text}, or {self.word}"

    def _describe_range(self) -> str:
        return super()._describe_range() if self.min is not None or self.max is not None else ""


class WholeNumbers(click.ParamType[tuple[int, ...]]):
    """Whole numbers with commas between them."""

    name = "numbers"

    def convert(
        self,
        value: Any,
        param: click.Parameter | None,
        ctx: click.Context | None,  # noqa: ARG002
    ) -> tuple[int, ...]:
        """The numbers in their order."""
        if not isinstance(value, str):
            return tuple(value)
        try:
            return tuple(int(word) for word in value.split(","))
        except ValueError:
            flag = param.opts[-1] if param else "numbers"
            raise LudometerError(f"{flag} {value}: write whole numbers with commas, such as 25,1,100") from None


class OutFile(click.ParamType[Path]):
    """A file to write to, checked before any work begins."""

    name = "file"

    def __init__(self, *suffixes: str) -> None:
        self.suffixes = suffixes

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path:  # noqa: ARG002
        """The path, whose folder exists and whose ending is known."""
        path = Path(value)
        if not str(value).strip() or path.is_dir():
            raise LudometerError(f"{str(value)!r} is not the name of a file to write to")
        if not path.parent.is_dir():
            raise LudometerError(f"{path}: there is no folder {path.parent}")
        if self.suffixes and path.suffix.lower() not in self.suffixes:
            raise LudometerError(f"{path}: write to a file that ends in {', '.join(self.suffixes)}")
        return path
