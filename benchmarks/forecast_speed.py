"""What the state space costs, as ratios within one run: the filter by Elo's pass, the history by the peers that smooth.

Part of `sh benchmarks/run.sh forecasts`, or alone with --speed.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

import numpy as np

from ludometer.matches import Matches
from ludometer.ratings import Elo
from ludometer.ratings.state_space.parameters import Parameters
from ludometer.ratings.state_space.system import FittedStateSpace
from ludometer.simulate import simulate_strengths
from peer_comparison import fastest
from peer_forecasts import DRIFT, PROBIT, SD, Halved, simulate_drift

BASIC = Parameters(spread=200.0, drift=40.0)
"""The two ingredients that are always there."""

FULL = Parameters(
    spread=200.0,
    drift=40.0,
    match_drift=2.0,
    advantage=30.0,
    entry_drift=20.0,
    opponent_share=0.2,
    pairing=0.1,
    pairing_new=1.0,
    learning=5.0,
    young_drift=1.0,
    information=0.95,
    activity=3.0,
    rust=5.0,
    form=20.0,
)
"""Every ingredient at work."""

YEARS = 20
FEWEST_DRAWS = 64
"""The peers take opponents' strengths as known for the errors; ours draws all paths, 64 to 512 times."""


@dataclass(frozen=True)
class Cost:
    """One row: what was measured, against what, and what is wanted."""

    what: str
    against: str
    measured: float
    unit: str
    wanted: str


def timed_record(n_players: int, n_matches: int) -> Matches:
    """Matches with dates and sides, between players whose activity differs."""
    pairs = simulate_strengths(n_players, n_matches, activity=1.2, draws=0.1, seed=0).pairs
    day = np.arange(n_matches) * int(YEARS * 365.25) // n_matches
    return Matches.of_pairs(
        pairs.first, pairs.second, pairs.halves, time=day.astype("M8[D]"), advantage="order", ordered=True
    )


def filter_costs(share: float) -> list[Cost]:
    """Passes over a million matches, taken in turn so that all see the same machine."""
    matches = timed_record(20_000, round(share * 1_000_000))
    systems: dict[str, Any] = {"elo": Elo(), "basic": FittedStateSpace(BASIC), "full": FittedStateSpace(FULL)}
    seconds = dict.fromkeys(systems, float("inf"))
    for _ in range(5):
        for name, system in systems.items():
            one, _ = fastest(lambda system=system: system.play(system.start(0), matches), 1)  # type: ignore[misc]
            seconds[name] = min(seconds[name], one)
    against = f"a plain Elo pass, {1e9 * seconds['elo'] / len(matches):.0f} ns per match"
    return [
        Cost("filter with spread and drift", against, seconds["basic"] / seconds["elo"], "times", "at most 8"),
        Cost("filter with all ingredients", against, seconds["full"] / seconds["elo"], "times", "at most 20"),
    ]


def history_costs(share: float) -> list[Cost]:
    """6,000 matches of 300 players over 20 steps of time: ours by those of the peers that are installed."""
    record = simulate_drift(300, 2 * round(share * 6_000), seed=2)
    ours = {}
    for words, n_draws in (("", None), (" with the fewest draws for its errors", FEWEST_DRAWS)):
        work = _our_history(record, n_draws)
        work()
        ours[f"our history{words}"], _ = fastest(work)
    costs = []
    for package, module, make in (
        ("trueskillthroughtime", "trueskillthroughtime", _through_time),
        ("whole-history-rating", "whr", _whole_history),
    ):
        if importlib.util.find_spec(module):
            theirs, _ = fastest(make(record), 2)
            what = f"{package}, {len(record.seen):,} matches"
            for name, seconds in ours.items():
                costs.append(Cost(what, f"{name}, {1e3 * seconds:.0f} ms", theirs / seconds, "times", "at least 50"))
    return costs


def _our_history(record: Halved, n_draws: int | None) -> Callable[[], Any]:
    seen = record.seen
    matches = Matches.of_pairs(
        seen.pairs.first,
        seen.pairs.second,
        seen.pairs.halves,
        players=seen.players,
        time=record.step.astype("M8[D]"),
        ordered=True,
    )
    parameters = Parameters(spread=SD, drift=DRIFT * 365.25**0.5)
    return partial(_rate_history, matches, parameters, n_draws)


def _rate_history(matches: Matches, parameters: Parameters, n_draws: int | None = None) -> Any:
    """The history with parameters that are given, so that nothing is fitted."""
    from ludometer.ratings.state_space.history import rate_history

    return rate_history(matches, system=FittedStateSpace(parameters), n_draws=n_draws)


def _through_time(record: Halved) -> Callable[[], Any]:
    trueskillthroughtime: Any = importlib.import_module("trueskillthroughtime")

    games = [[[str(winner)], [str(loser)]] for winner, loser in _winners(record)]

    def fit() -> Any:
        history = trueskillthroughtime.History(
            games, times=record.step.tolist(), sigma=SD / PROBIT, beta=1.0, gamma=DRIFT / PROBIT, p_draw=0.0
        )
        history.convergence(epsilon=0.01, iterations=10, verbose=False)
        return history

    return fit


def _whole_history(record: Halved) -> Callable[[], Any]:
    whr: Any = importlib.import_module("whr")

    lines = [
        f"{winner} {loser} B {step}"
        for (winner, loser), step in zip(_winners(record), record.step.tolist(), strict=True)
    ]

    def fit() -> Any:
        model = whr.WHR({"w2": DRIFT**2})
        model.load_games(lines)
        model.auto_iterate()
        return model

    return fit


def _winners(record: Halved) -> list[tuple[int, int]]:
    from peer_forecasts import _winners_and_losers

    return _winners_and_losers(record.seen)


def growth_costs(share: float) -> list[Cost]:
    """The history of 100,000 and of a million matches, each in a process of its own for its peak of memory."""
    costs = []
    for n_matches in (round(share * 100_000), round(share * 1_000_000)):
        line = [sys.executable, __file__, "--history", str(n_matches)]
        done = subprocess.run(line, capture_output=True, text=True, check=True)
        seconds, mebibytes = map(float, done.stdout.split())
        wanted = "under 60 on two cores" if n_matches >= 1_000_000 else ""
        what = f"history of {n_matches:,} matches of {n_matches // 50:,} players"
        costs.append(Cost(what, "all cores together, after compiling", seconds, "seconds", wanted))
        costs.append(Cost(what, "memory beyond the record", mebibytes, "MiB", "linear"))
    return costs


def _grow(n_matches: int) -> None:
    """Inside that process: seconds and mebibytes."""
    _rate_history(timed_record(100, 2_000), BASIC)
    matches = timed_record(max(100, n_matches // 50), n_matches)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    begin = time.process_time()
    _rate_history(matches, BASIC)
    seconds = time.process_time() - begin
    print(seconds, (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024)


def measure(share: float = 1.0) -> dict[str, Any]:
    """All rows."""
    rows = [asdict(cost) for part in (filter_costs, history_costs, growth_costs) for cost in part(share)]
    for row in rows:
        row["measured"] = float(f"{row['measured']:.3g}")
        print(f"{row['what']:48s} {row['measured']:9,} {row['unit']:8s} {row['against']}; wanted: {row['wanted']}")
    return {"rows": rows, "load": round(os.getloadavg()[0], 1)}


if __name__ == "__main__" and sys.argv[1:2] == ["--history"]:
    _grow(int(sys.argv[2]))
