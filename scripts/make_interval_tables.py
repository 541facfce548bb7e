"""Writes the tables of docs/intervals.md from benchmarks/results: what was measured, and nothing else."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "intervals.md"

Json = dict[str, Any]
Lines = list[str]

_TRUTHS = {
    "deterministic": "x%-deterministic, x = 10, 20, 40, 60",
    "chess": "x%-chess, the same x",
    "heavy tails": "skills with heavy tails",
    "drift": "skills that drift",
    "draws": "normal skills, 30% draws",
    "assortative": "x%-deterministic, opponents the closer of two",
}
_OPPONENTS = {
    "closest of 1": "at random",
    "closest of 2": "the closest of 2",
    "closest of 3": "the closest of 3",
    "closest of 8": "the closest of 8",
}
_SCHEDULES = {
    "dense": "30 players, 600 matches",
    "sparse": "1,000 players, four matches each",
    "two each": "4,000 players, two matches each",
    "two each of 150": "150 players, two matches each",
}


def load(name: str) -> Json:
    """The stored results of a benchmark."""
    stored: Json = json.loads((ROOT / "benchmarks" / "results" / f"{name}.json").read_text(encoding="utf-8"))
    return stored


def coverage_table() -> Lines:
    """How often the intervals of measure hold the truth, all x together."""
    rows = []
    for kind, result in load("intervals").items():
        truth, schedule = kind.rsplit(", ", 1)
        cells = [_covered(result["all"].get(name)) for name in ("x", "sd", "k")]
        rows.append([_TRUTHS[truth], schedule, f"{result['games']:,}", *cells])
        if "as_if_random_x" in result["all"]:
            cells = [_covered(result["all"].get(f"as_if_random_{name}")) for name in ("x", "sd", "k")]
            rows.append(["the same, not corrected", schedule, f"{result['games']:,}", *cells])
    return _table(["truth", "schedule", "games", "x", "SD", "k"], rows)


def shares_table() -> Lines:
    """The same for each true x of x%-deterministic."""
    results = load("intervals")
    kinds = ["deterministic, dense", "deterministic, sparse"]
    rows = []
    for share in (key for key in results[kinds[0]] if key not in {"games", "all"}):
        cells = [_covered(results[kind][share][name]) for kind in kinds for name in ("x", "sd", "k")]
        rows.append([f"{share}%", *cells])
    heads = [f"{kind.rsplit(', ', 1)[1]}: {name}" for kind in kinds for name in ("x", "SD", "k")]
    return _table(["true x", *heads], rows)


def outside_table() -> Lines:
    """What x reads where the family is another."""
    rows = []
    for kind, result in load("intervals").items():
        if "mean_x" in result["all"]:
            truth = _TRUTHS[kind.rsplit(", ", 1)[0]]
            rows.append([truth, f"{result['all']['mean_x']:.1f}%", f"{result['all']['mean_usual_x']:.1f}%"])
    return _table(["truth", "x reads", "with normal, constant skills and no draws"], rows)


def recovery_table() -> Lines:
    """The true x of simulated games with random opponents: matched, and off the published line."""
    rows = []
    for kind, result in load("recovery")["random"].items():
        players, matches, share = kind.split(", ")
        rows.append(
            [
                f"{_thousands(players)}, {_thousands(matches)}",
                share,
                f"{result['matched']:.1f} ± {result['matched_sd']:.1f}",
                _percent(result["covered"]),
                f"{result['published']:.1f} ± {result['published_sd']:.1f}",
            ]
        )
    return _table(["record", "true x", "matched", "in its interval", "published line"], rows)


def pairing_table() -> Lines:
    """Matchmaking and pools: how often it is seen, how often refused, and what x becomes."""
    rows = []
    for game in ("40% deterministic", "60% chess"):
        for kind, result in load("recovery")[f"pairings, {game}"].items():
            players, _, opponents = kind.split(", ", 2)
            rows.append(
                [
                    game,
                    _thousands(players),
                    _OPPONENTS.get(opponents, opponents),
                    _percent(result["detected"]),
                    _percent(1 - result["sound"]),
                    f"{result['corrected']:.1f}",
                    f"{result['uncorrected']:.1f}",
                ]
            )
    heads = ["true x", "record", "opponents", "seen", "refused", "x corrected", "x not corrected"]
    return _table(heads, rows)


def calibration_table() -> Lines:
    """Simulation-based calibration: are the ranks of the truth uniform?"""
    rows = []
    for kind, quantities in load("population")["calibration"].items():
        for quantity, result in quantities.items():
            p_value = result["p_value"]
            shown = f"{p_value:.2f}" if p_value >= 0.01 else f"{p_value:.0e}"
            rows.append([kind, quantity, f"{sum(result['counts'])}", shown])
    return _table(["sampler, record", "of", "runs", "p that ranks are uniform"], rows)


def population_table() -> Lines:
    """How often the 95% interval of the spread of skills holds it."""
    rows = []
    results = load("population")["coverage"]
    names = {kind.split(", sigma ")[0] for kind in results}
    for kind, result in results.items():
        schedule, sigma = kind.split(", sigma ")
        if schedule == "two each" and "two each of 150" not in names:
            schedule = "two each of 150"  # before there were two such schedules it had this name
        rows.append(
            [
                _SCHEDULES[schedule],
                sigma,
                _percent(result["covered"]),
                f"{result['width_of_l2']:.2f}",
                _percent(result["converged"]),
            ]
        )
    rows.sort(key=lambda row: (list(_SCHEDULES.values()).index(row[0]), float(row[1])))
    return _table(["record", "σ", "covers", "mean width of ℓ²", "reached its draws"], rows)


def moves_table() -> Lines:
    """Strengths from the moves."""
    rows = []
    for kind, result in load("moves").items():
        if "strength_coverage" in result:
            shares = [_percent(result[f"{name}_coverage"]) for name in ("strength", "pair", "against_engine")]
            rows.append([kind, f"{result['runs']}", *shares, f"{result['mean_width']:.0f}"])
    return _table(["event", "runs", "strength", "pair", "against the engine", "mean width of strength"], rows)


def rated_table() -> Lines:
    """Calibrated strengths of players who were not there when the scale was made."""
    result = load("moves")["calibration"]
    heads = ["runs", "new players inside", "held-out players inside", "refused, outside the range"]
    shares = [_percent(result[name]) for name in ("coverage", "held_out_coverage", "refused")]
    return _table(heads, [[f"{result['runs']}", *shares]])


def adversary_table(kind: str) -> Lines:
    """Records that platforms could have: what x reads, how often its interval covers, and what was answered."""
    rows = []
    for name, result in load("adversary")["situations"].items():
        if result["kind"] != kind:
            continue
        found, truth = result["summary"], result["truth"]
        read = "" if found["reads"] is None else "> 100" if found["reads"] > 100 else f"{found['reads']:.0f}"
        unclear = found["answers"].get("cannot tell", 0) / found["seeds"]
        title, game = name.removesuffix(f", {result['game']}"), result["game"]
        rows.append(
            [
                f"{title}: {result['sentence']}{' *' * result['traceless']}",
                game,
                f"{truth['x']:.0f}",
                f"{found['seeds']}",
                read,
                *(_whole_percent(share) for share in (found["covers"], found["wrong"], found["answered"], unclear)),
            ]
        )
    heads = ["record", "game", "true x", "seeds", "reads", "covers", "wrong", "as the clean game", "cannot tell"]
    return _table(heads, rows)


TABLES: dict[str, Callable[[], Lines]] = {
    "coverage": coverage_table,
    "shares": shares_table,
    "outside": outside_table,
    "recovery": recovery_table,
    "pairing": pairing_table,
    "calibration": calibration_table,
    "population": population_table,
    "moves": moves_table,
    "rated": rated_table,
    "known failures": partial(adversary_table, "table"),
    "held up": partial(adversary_table, "held up"),
    "own situations": partial(adversary_table, "own"),
}


def fill(page: str) -> str:
    """The page with its tables written anew; each stands between <!-- table: NAME --> and <!-- end of table -->."""
    for name, make in TABLES.items():
        places = re.findall(rf"<!-- table: {name} -->.*?<!-- end of table -->", page, re.S)
        if len(places) != 1:
            raise ValueError(f"the table {name} has {len(places)} places in {PAGE.name}, not one")
        rows = "\n".join(make())
        page = page.replace(places[0], f"<!-- table: {name} -->\n\n{rows}\n\n<!-- end of table -->")
    return page


def main() -> None:
    """Write the tables, or with --check only say whether they are up to date."""
    page = PAGE.read_text(encoding="utf-8")
    filled = fill(page)
    if "--check" in sys.argv:
        sys.exit(f"run scripts/make_interval_tables.py: {PAGE.name} is out of date" if filled != page else 0)
    PAGE.write_text(filled, encoding="utf-8")


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> Lines:
    return [*_rows([heads, ["---"] * len(heads)]), *_rows(rows)]


def _rows(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    for cells in rows:
        yield f"| {' | '.join(cells)} |"


def _covered(result: Json | None) -> str:
    return f"{result['coverage']:.1%} ± {result['standard_error']:.1%}" if result else ""


def _percent(share: float) -> str:
    return f"{share:.1%}".replace(".0%", "%")


def _whole_percent(share: float) -> str:
    return f"{share:.0%}"


def _thousands(words: str) -> str:
    """ "5000 players" as "5,000 players"."""
    number, what = words.split(" ", 1)
    return f"{int(number):,} {what}"


if __name__ == "__main__":
    main()
