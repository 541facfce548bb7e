"""Settings of all tests: derandomised Hypothesis, the shared data folder, and a count of what was skipped and why."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

if TYPE_CHECKING:
    from _pytest.terminal import TerminalReporter

settings.register_profile(
    "project", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
settings.load_profile("project")

SHARED = Path(os.environ.get("LUDOMETER_SHARED") or Path(__file__).parents[2] / "shared")


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real match data, which is not part of the project."""
    if not (SHARED / "data").is_dir():
        pytest.skip("needs the shared data folder; LUDOMETER_SHARED names it")
    return SHARED / "data"


def pytest_terminal_summary(terminalreporter: TerminalReporter) -> None:
    """Count the skipped tests by reason."""
    reasons = Counter(str(report.longrepr[2]) for report in terminalreporter.stats.get("skipped", []))
    if reasons:
        terminalreporter.section("skipped tests by reason")
        for reason, count in reasons.most_common():
            terminalreporter.line(f"{count:4d}  {reason.removeprefix('Skipped: ')}")
