"""Options as frozen dataclasses."""

from __future__ import annotations

from dataclasses import dataclass

import click
import pytest
from click.testing import CliRunner

from ludometer.cli.declared import Number, OutFile, argument, group, option, takes
from ludometer.errors import LudometerError


@dataclass(frozen=True)
class Inner:
    """A group within a group."""

    depth: int = option("--depth", type=int, default=3, help="How deep.")


@dataclass(frozen=True)
class Middle:
    """A group."""

    width: float = option("--width", type=Number(0), default=1.5, help="How wide.")
    inner: Inner = group(Inner)
    tags: tuple[str, ...] = option("--tag", multiple=True, help="May be repeated.")


@dataclass(frozen=True)
class Whole:
    """A command's options."""

    file: str = argument()
    middle: Middle = group(Middle)
    loud: bool = option("--loud", is_flag=True, help="Loud.")


def make_command(seen: list[Whole]) -> click.Command:
    @click.command()
    @takes(Whole)
    def command(options: Whole) -> None:
        seen.append(options)

    return command


def test_groups_are_nested_as_declared() -> None:
    seen: list[Whole] = []
    words = ["a.csv", "--depth", "7", "--tag", "x", "--tag", "y", "--loud"]
    assert CliRunner().invoke(make_command(seen), words).exit_code == 0
    assert seen == [Whole(file="a.csv", middle=Middle(inner=Inner(depth=7), tags=("x", "y")), loud=True)]


def test_defaults_are_those_of_the_dataclass() -> None:
    seen: list[Whole] = []
    CliRunner().invoke(make_command(seen), ["a.csv"])
    assert seen == [Whole(file="a.csv")]
    assert seen[0].middle == Middle(width=1.5, inner=Inner(depth=3), tags=())


def test_help_has_the_options_in_the_order_of_the_fields() -> None:
    told = CliRunner().invoke(make_command([]), ["--help"]).output
    places = [told.index(flag) for flag in ("FILE", "--width", "--depth", "--tag", "--loud")]
    assert places == sorted(places)


def test_two_options_of_one_name_are_refused() -> None:
    @dataclass(frozen=True)
    class Twice:
        one: Inner = group(Inner)
        depth: int = option("--deep", type=int)

    with pytest.raises(TypeError, match="two options are called depth"):
        takes(Twice)


@pytest.mark.parametrize("text", ["nan", "inf", "-1", "much"])
def test_numbers_are_finite_and_in_range(text: str) -> None:
    done = CliRunner().invoke(make_command([]), ["a.csv", "--width", text])
    assert isinstance(done.exception, LudometerError)
    assert str(done.exception) == f"--width {text}: write a number from 0 up"


def test_files_to_write_are_checked_before_any_work(tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("out")
    kind = OutFile(".svg")
    assert kind.convert(f"{folder}/a.svg", None, None) == folder / "a.svg"
    for name, fault in (("none/a.svg", "no folder"), ("", "not the name"), ("a.png", "ends in .svg")):
        with pytest.raises(LudometerError, match=fault):
            kind.convert(f"{folder}/{name}", None, None)
