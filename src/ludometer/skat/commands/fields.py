"""Kinds of options that the Skat commands declare often."""

from __future__ import annotations

from typing import Any

import click

from ludometer.cli.declared import option


def choice(flag: str, words: str, text: str) -> Any:
    """An option with one of these words, the first by default."""
    known = words.split()
    return option(flag, type=click.Choice(known), default=known[0], help=text)


def number(flag: str, kind: Any, default: float, metavar: str, text: str) -> Any:
    """An option with a number."""
    return option(flag, type=kind, default=default, metavar=metavar, help=text)
