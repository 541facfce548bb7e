"""Can the verdict be fooled? Records that platforms could really have, of games whose truth is known.

    python benchmarks/adversary.py [--only NAME ...] [--seeds N] [--jobs N] [--again] [--list]

A name is that of a situation ("mirrored") or of one with its game ("mirrored, coin"). Each record is measured as
`measure` does it, without luck and checks. The truth is the x of the undistorted game; where results are logistic or
drawn, it is the mean x matched on clean records of that game, which are measured first. A confident answer ("skill",
"chance", "depends") is wrong where the undistorted game's truths have another. Results are kept for each situation and
seed in benchmarks/results/adversary.json: a run goes on from there, `--again` begins anew what is asked for. Nothing is
timed.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import situations_exports  # registers its situations
import situations_pairing
import situations_players
import situations_sessions
from ludometer.errors import LudometerError
from ludometer.matches import Matches
from ludometer.measurement.benchmarks.inversion import HALF, Inversion
from ludometer.measurement.measurement import measure
from schedules import Crew
from situations import SITUATIONS, Game, Situation, clean_record, true_edge

MODULES = (situations_exports, situations_pairing, situations_players, situations_sessions)
RESULTS = Path(__file__).parent / "results" / "adversary.json"
REPLICATES = 39
SEEDS, CLEAN_SEEDS, BLOCK = 10, 16, 20
SKILL, CHANCE, DEPENDS, CANNOT_TELL = "skill", "chance", "depends", "cannot tell"
CONFIDENT = (SKILL, CHANCE, DEPENDS)
BEYOND = 999.0
"""Stands for an x beyond the whole benchmark, and for the end of an interval that has none."""

Row = dict[str, Any]


class Task(NamedTuple):
    """One record: of a situation, or of a clean game."""

    name: str
    seed: int
    is_clean: bool


def verdict_of(matches: Matches, seed: int) -> Row:
    """What `measure` says about a record, without luck, intervals of the SD, checks and the tests of courts."""
    try:
        found = measure(matches, brief=True, replicates=REPLICATES, seed=seed)
    except LudometerError as error:
        # a record that cannot be taken as it is: the user is asked
        return {"answer": CANNOT_TELL, "reason": f"Asked: {error}", "asked": True}
    assert found.verdict is not None
    row: Row = {"answer": found.verdict.answer}
    if found.verdict.answer == CANNOT_TELL:
        row["reason"] = found.verdict.statement
    if found.yardstick is not None:
        row |= _figures("x", found.yardstick.deterministic) | _figures("chess", found.yardstick.chess)
    if found.edge is not None:
        row["edge"] = [round(float(value), 4) for value in (found.edge.better_player_wins, *found.edge.interval)]
    return row


def _figures(name: str, found: Inversion) -> Row:
    values = (found.estimate, *found.interval)
    return {name: [round(float(np.clip(np.nan_to_num(value, nan=BEYOND), 0, BEYOND)), 1) for value in values]}


def clean_games(chosen: Sequence[Situation]) -> dict[str, tuple[Game, int]]:
    """The undistorted games of these situations, by name."""
    return {one.clean_name: (one.game, one.per_match) for one in chosen}


def run_task(task: Task) -> Row:
    """Make a record and measure it."""
    if task.is_clean:
        return verdict_of(clean_record(*clean_games(list(SITUATIONS.values()))[task.name], task.seed), task.seed)
    matches = SITUATIONS[task.name].matches(task.seed)
    try:
        return verdict_of(matches, task.seed)
    except Exception as error:  # a record that breaks the measurement is a finding, not the end of the run
        return {"answer": "crashed", "reason": f"Crashed: {error!r}"}


def find_truth(game: Game, rows: Sequence[Row]) -> Row:
    """x and the answer of an undistorted game, from clean records of it."""
    x = game.x if game.x is not None else float(np.mean([row["x"][0] for row in rows]))
    chess = float(np.median([row["chess"][0] for row in rows]))
    sides = [SKILL if value > HALF else CHANCE for value in (x, chess)]
    return {
        "x": round(x, 1),
        "chess": round(chess, 1),
        "answer": sides[0] if sides[0] == sides[1] else DEPENDS,
        "edge": round(true_edge(game), 4),
        "covers": round(float(np.mean([covers(row["x"], x) for row in rows])), 3),
        "answers": dict(Counter(row["answer"] for row in rows).most_common()),
        "seeds": len(rows),
    }


def covers(found: Sequence[float] | None, truth: float) -> bool:
    """Whether an interval, after its estimate, holds the truth; one that is missing does not."""
    return found is not None and found[1] <= truth <= found[2]


def summarise(one: Situation, rows: Sequence[Row], truth: Row) -> Row:
    """What became of all seeds."""
    answers = [row["answer"] for row in rows]
    right = truth["answer"] if one.transitive else None
    read = [row["x"][0] for row in rows if "x" in row]
    summary: Row = {
        "seeds": len(rows),
        "reads": round(float(np.median(read)), 1) if read else None,
        "covers": _share([covers(row.get("x"), truth["x"]) for row in rows]),
        "covers_or_refused": _share([covers(row.get("x"), truth["x"]) or "reason" in row for row in rows]),
        "wrong": _share([answer in CONFIDENT and answer != right for answer in answers]),
        "answered": _share([answer == right for answer in answers]),
        "answers": dict(Counter(answers).most_common()),
    }
    edges = [row["edge"] for row in rows if row.get("edge")]
    if edges:
        summary["edge"] = round(float(np.median([edge[0] for edge in edges])), 4)
        if one.same_players:
            summary["edge_covers"] = _share([covers(edge, truth["edge"]) for edge in edges])
    reasons = Counter(row["reason"].partition(": ")[2].partition(" (")[0] for row in rows if "reason" in row)
    summary["reasons"] = dict(reasons.most_common(3))
    return summary


def _share(flags: Sequence[bool]) -> float:
    return round(float(np.mean(flags)), 3)


class Stored:
    """The rows of all situations and clean games, one line of the file each."""

    def __init__(self, path: Path = RESULTS) -> None:
        self.path = path
        self.content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}

    def rows(self, part: str, name: str) -> dict[str, Row]:
        """By seed."""
        found: dict[str, Row] = self.content.get(part, {}).get(name, {}).get("rows", {})
        return found

    def keep(self, part: str, name: str, entry: Row) -> None:
        """Put an entry into the file, situations in the order in which they are registered."""
        entries = self.content.get(part, {}) | {name: entry}
        order = [*SITUATIONS] if part == "situations" else sorted(entries)
        self.content[part] = {key: entries[key] for key in order if key in entries}
        lines = []
        for key, group in self.content.items():
            inner = ",\n".join(f"{json.dumps(one)}: {json.dumps(own)}" for one, own in group.items())
            lines.append(f"{json.dumps(key)}: {{\n{inner}\n}}")
        self.path.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def measure_clean(chosen: Sequence[Situation], kept: Stored, crew: Crew, *, again: bool) -> None:
    """The truths of all games that are needed."""
    for name, (game, _) in clean_games(chosen).items():
        rows = {} if again else kept.rows("clean", name)
        tasks = [Task(name, seed, True) for seed in range(CLEAN_SEEDS) if str(seed) not in rows]
        if tasks:
            found = crew.map(run_task, tasks)
            rows |= {str(task.seed): row for task, row in zip(tasks, found, strict=True)}
            truth = find_truth(game, list(rows.values()))
            kept.keep("clean", name, {"truth": truth, "rows": rows})
            print(f"clean {name:32s} {json.dumps(truth)}", flush=True)


def measure_situations(
    chosen: Sequence[Situation], seeds: int, kept: Stored, crew: Crew, *, again: bool
) -> Iterator[tuple[Situation, Row]]:
    """The summary of each situation, stored as soon as it is there."""
    for one in chosen:
        rows = {} if again else kept.rows("situations", one.full_name)
        truth = kept.content["clean"][one.clean_name]["truth"]
        tasks = [Task(one.full_name, seed, False) for seed in range(seeds) if str(seed) not in rows]
        for start in range(0, len(tasks), BLOCK):
            block = tasks[start : start + BLOCK]
            found = crew.map(run_task, block)
            rows |= {str(task.seed): row for task, row in zip(block, found, strict=True)}
            _keep(one, rows, truth, kept)
        if not tasks and rows:
            _keep(one, rows, truth, kept)
        yield one, kept.content["situations"][one.full_name]["summary"]


def _keep(one: Situation, rows: dict[str, Row], truth: Row, kept: Stored) -> None:
    entry = {
        "sentence": one.sentence,
        "kind": one.kind,
        "game": one.game.name,
        "wanted": one.answered,
        "traceless": one.traceless,
        "truth": {"x": truth["x"], "answer": truth["answer"] if one.transitive else None, "edge": truth["edge"]},
        "summary": summarise(one, list(rows.values()), truth),
        "rows": rows,
    }
    kept.keep("situations", one.full_name, entry)


def show(one: Situation, truth: Row, summary: Row) -> str:
    """One line."""
    read = "   -" if summary["reads"] is None else f"{min(summary['reads'], 101):5.1f}"
    edge = f"  edge {summary['edge']:.3f}/{truth['edge']:.3f}" if "edge" in summary else ""
    return (
        f"{one.full_name:40s} x {truth['x']:5.1f} reads {read}  covers {summary['covers']:4.0%}  "
        f"wrong {summary['wrong']:4.0%}  answered {summary['answered']:4.0%}{edge}  {summary['answers']}"
    )


def choose(names: Sequence[str] | None) -> list[Situation]:
    """Situations by name, with or without the game."""
    if not names:
        return list(SITUATIONS.values())
    unknown = [name for name in names if not any(name in (one.name, one.full_name) for one in SITUATIONS.values())]
    if unknown:
        raise SystemExit(f"there is no situation {unknown[0]!r}; --list shows all")
    return [one for one in SITUATIONS.values() if one.name in names or one.full_name in names]


def main() -> None:
    """Measure what is asked for and not yet stored."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", nargs="+", metavar="NAME", help="these situations")
    parser.add_argument("--seeds", type=int, default=SEEDS)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--again", action="store_true", help="measure anew what is stored")
    parser.add_argument("--list", action="store_true", help="only list the situations")
    parser.add_argument("--results", type=Path, default=RESULTS, help="another file")
    asked = parser.parse_args()
    chosen = choose(asked.only)
    if asked.list:
        print("\n".join(f"{one.full_name:40s} {one.kind:8s} {one.sentence}" for one in chosen))
        return
    kept, crew = Stored(asked.results), Crew(asked.jobs)
    measure_clean(chosen, kept, crew, again=asked.again)
    for one, summary in measure_situations(chosen, asked.seeds, kept, crew, again=asked.again):
        print(show(one, kept.content["clean"][one.clean_name]["truth"], summary), flush=True)


if __name__ == "__main__":
    main()
