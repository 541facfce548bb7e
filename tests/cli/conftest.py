"""The command line, run in this process."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pytest

from ludometer.cli import main


@dataclass(frozen=True)
class Done:
    """How a command ended and what it printed."""

    status: int
    out: str
    err: str


Run = Callable[..., Done]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Run:
    """Run ludometer with these words."""

    def command(*words: object) -> Done:
        monkeypatch.setattr("sys.argv", ["ludometer", *map(str, words)])
        capfd.readouterr()
        status = 0
        try:
            main()
        except SystemExit as ending:
            status = int(ending.code or 0)
        return Done(status, *capfd.readouterr())

    return command
