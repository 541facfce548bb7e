"""Writes docs/commands.md from the --help of every command and docs/library.md from the docstrings of `ludometer`."""

from __future__ import annotations

import inspect
import sys
from pathlib import Path

import click

import ludometer
from ludometer.cli import cli

DOCS = Path(__file__).parents[1] / "docs"


def commands_page() -> str:
    """The help of every command, as it is printed."""
    context = click.Context(cli, info_name="ludometer", max_content_width=100, terminal_width=100)
    parts = ["# Commands\n", "Written by `scripts/make_docs.py`.\n", _block(cli.get_help(context))]
    for name in cli.list_commands(context):
        command = cli.get_command(context, name)
        assert command is not None
        parts += [f"## ludometer {name}\n", *_helps(command, f"ludometer {name}")]
    return "\n".join(parts)


def library_page() -> str:
    """The names of `import ludometer` with signatures and docstrings, and how other packages extend it."""
    parts = [
        "# The library\n",
        "Written by `scripts/make_docs.py`. `import ludometer as lm` loads nothing until it is used. The packages\n"
        "have more: see the [API reference](api.md). Your own package can add a rating system or a command: see\n"
        "[ratings](ratings.md#add-your-own-system-or-command).\n",
    ]
    for name in sorted(ludometer.__all__, key=lambda name: (name.casefold(), name)):
        value = getattr(ludometer, name)
        signature = str(inspect.signature(value)) if inspect.isfunction(value) else ""
        parts += [
            f"## {name}\n",
            _block(f"{name}{signature}") if signature else "",
            f"{_indented(inspect.getdoc(value) or '')}\n",
        ]
    return "\n".join(part for part in parts if part)


def _helps(command: click.Command, path: str) -> list[str]:
    context = click.Context(command, info_name=path, max_content_width=100, terminal_width=100)
    parts = [_block(command.get_help(context))]
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            inner = command.get_command(context, name)
            assert inner is not None
            parts += _helps(inner, f"{path} {name}")
    return parts


def _block(text: str) -> str:
    return f"```\n{text}\n```\n"


def _indented(text: str) -> str:
    """A docstring with its examples fenced."""
    prose: list[str] = []
    examples: list[str] = []
    for line in text.splitlines():
        in_example = line.startswith(">>>") or (
            examples and line.strip() and not line.startswith(" ") and examples[-1] != ""
        )
        (examples if in_example else prose).append(line)
    fenced = "\n\n```python\n" + "\n".join(examples) + "\n```" if examples else ""
    return "\n".join(prose).strip() + fenced


def main() -> None:
    """Write the pages, or with --check only say whether they are up to date."""
    pages = {DOCS / "commands.md": commands_page(), DOCS / "library.md": library_page()}
    stale = [path.name for path, text in pages.items() if not path.exists() or path.read_text(encoding="utf-8") != text]
    if "--check" in sys.argv:
        sys.exit(f"run scripts/make_docs.py: out of date: {', '.join(stale)}" if stale else 0)
    for path, text in pages.items():
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
