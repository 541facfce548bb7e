"""Run the fuzzer: `python -m fuzzing --inputs 1000000 --jobs 2`; what it found goes to fuzzing/results.json."""

from __future__ import annotations

import json
import sys
import tempfile
import time
from dataclasses import asdict
from pathlib import Path

import click

from fuzzing.judging import LONGEST, MEGABYTES, SECONDS, judge
from fuzzing.running import Tally, plan, run
from fuzzing.targets import BY_NAME
from ludometer.wording import format_table, printable
from ludometer.writing import replacing

RESULTS = Path(__file__).with_name("results.json")


@click.command()
@click.option("--inputs", type=click.IntRange(1), default=1_000_000, show_default=True, help="Of all targets together.")
@click.option("--jobs", type=click.IntRange(1), default=2, show_default=True, help="Processes.")
@click.option("--target", "names", multiple=True, type=click.Choice(list(BY_NAME)), help="Only these.")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="The first input's number.")
@click.option("--show", is_flag=True, help="Show the one input of --target and --seed, and what becomes of it.")
@click.option("--out", type=click.Path(path_type=Path), default=RESULTS, help="Where the table goes.")
def main(inputs: int, jobs: int, names: tuple[str, ...], seed: int, show: bool, out: Path) -> None:
    """Try inputs on every reader."""
    if show:
        _show(names[0], seed)
        return
    begun = time.monotonic()

    def keep(tallies: dict[str, Tally]) -> None:
        _keep(tallies, out, first_seed=seed, jobs=jobs, seconds=time.monotonic() - begun)
        if sys.stderr.isatty():
            _tell(tallies)

    tallies = run(plan(inputs, names), first_seed=seed, jobs=jobs, on_part=keep)
    keep(tallies)
    click.echo(_table(tallies))
    for tally in tallies.values():
        for number, reason in tally.examples:
            click.echo(printable(f"{tally.target} {number}: {reason}"))
    sys.exit(1 if any(tally.failures for tally in tallies.values()) else 0)


def _keep(tallies: dict[str, Tally], out: Path, *, first_seed: int, jobs: int, seconds: float) -> None:
    """What is known so far, in a file."""
    document = {
        "limits": {"seconds": SECONDS, "megabytes": MEGABYTES, "message_characters": LONGEST},
        "first_seed": first_seed,
        "jobs": jobs,
        "seconds": round(seconds, 1),
        "inputs": sum(tally.inputs for tally in tallies.values()),
        "failures": sum(tally.failures for tally in tallies.values()),
        "targets": [_rounded(tally) for tally in tallies.values()],
    }
    with replacing(out) as draft:
        draft.write_text(json.dumps(document, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def _show(name: str, seed: int) -> None:
    target = BY_NAME[name]
    given = target.input(seed)
    click.echo(f"{len(given.data):,} bytes: {given.data[:3_000]!r}\nchoices: {given.choices}")
    with tempfile.TemporaryDirectory() as folder:
        click.echo(str(judge(target, given, Path(folder))))


def _tell(tallies: dict[str, Tally]) -> None:
    done, failed = (sum(getattr(tally, name) for tally in tallies.values()) for name in ("inputs", "failures"))
    click.echo(f"\r{done:,} inputs, {failed:,} failures ", nl=False, err=True)


def _table(tallies: dict[str, Tally]) -> str:
    rows = [
        [one.target, f"{one.inputs:,}", f"{one.read:,}", f"{one.refused:,}", f"{one.failures:,}",
         f"{one.inputs / max(one.seconds, 1e-9):,.0f}", f"{one.slowest:.2f}"]
        for one in tallies.values()
    ]  # fmt: skip
    whole = [sum(getattr(one, name) for one in tallies.values()) for name in ("inputs", "read", "refused", "failures")]
    rows.append(["all", *(f"{value:,}" for value in whole), "", ""])
    return format_table(["target", "inputs", "read", "refused", "failures", "inputs/s", "slowest s"], rows)


def _rounded(tally: Tally) -> dict[str, object]:
    found = asdict(tally)
    found["seconds"], found["slowest"] = round(tally.seconds, 1), round(tally.slowest, 3)
    found["inputs_per_second"] = round(tally.inputs / max(tally.seconds, 1e-9))
    return found


if __name__ == "__main__":
    main()
