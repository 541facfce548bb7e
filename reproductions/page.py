"""The page of reproductions: a summary, what is missing and why, and every table cell by cell."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from reproductions.cells import BASES, OUTCOMES, Outcome, Table

_COLUMNS: tuple[Outcome, ...] = ("rounding", "percent", "chance", "further", "misprint", "absent")

_HEAD = """# Reproductions

Written by `python -m reproductions --write`. Every number of the tables below is printed in one of the papers; beneath
it stands ours. `python -m reproductions duersch-2` makes one table, `--list` names them. The data are those of the
folder that `LUDOMETER_SHARED` names (`../shared` if it is not set). Whoever has a record that is missing here names it:
`--data "Go=go.csv"`, with the name of the row and any file that ludometer reads ([files](files.md)); for the tables of
Ferreira `--data "London Classic 2011=evaluations.csv"` or `--data "Candidates 2011=..."` ([chess](chess.md)).
"""
_LEGEND: dict[Outcome, str] = {
    "rounding": "within rounding: ours, with the digits of the print, is the printed number, or lies within what the "
    "rounding of the printed numbers that it is computed from allows",
    "percent": "not that, but within 1% of the printed number",
    "chance": "further off, but within two SDs of what repeating a simulation, or the paper's 250 draws, gives",
    "further": "further off",
    "misprint": "the printed number contradicts others of the paper: a misprint or slip ([errors](errors.md))",
    "absent": "not reproducible, for the reason given",
}
_INPUTS = """\
Inputs, such as ratings before a tournament, are shown without a number of ours and not counted as cells. What is
computed from the paper's own numbers shows that its arithmetic holds together, no more; only measured and simulated
cells test its results. The second table below tells them apart.
"""


def render(tables: Sequence[Table]) -> str:
    """The whole page."""
    legend = ["| mark | |", "|---|---|", *(f"| {OUTCOMES[outcome][0]} | {_LEGEND[outcome]} |" for outcome in _COLUMNS)]
    parts = [
        _HEAD,
        *legend,
        "",
        _INPUTS,
        "## Summary\n",
        summary(tables),
        "",
        _by_basis(tables),
        "",
        "## What cannot be reproduced, and why\n",
    ]
    parts += [_reasons(tables), ""]
    for table in tables:
        parts += [f"## {table.title}\n", f"`python -m reproductions {table.name}`\n", f"```\n{table.to_text()}\n```\n"]
        remarks = [f"- {remark}" for remark in (*table.notes, *table.remarks())]
        parts += ["\n".join(remarks) + "\n"] if remarks else []
    return "\n".join(parts).rstrip() + "\n"


def summary(tables: Sequence[Table]) -> str:
    """How many cells of each table came out how."""
    names = [OUTCOMES[outcome][1] for outcome in _COLUMNS]
    lines = ["| table | cells | " + " | ".join(names) + " | inputs |", "|---" * (len(names) + 3) + "|"]
    total: Counter[Outcome] = Counter()
    for table in tables:
        counts = table.counts()
        total += counts
        lines.append(_line(table.name, counts))
    return "\n".join([*lines, _line("**all**", total)])


def _line(name: str, counts: Counter[Outcome]) -> str:
    n = sum(counts[outcome] for outcome in _COLUMNS)
    numbers = [f"{counts[outcome]:,}" if counts[outcome] else "" for outcome in _COLUMNS]
    inputs = f"{counts['given']}" if counts["given"] else ""
    return f"| {name} | {n:,} | " + " | ".join(numbers) + f" | {inputs} |"


def _by_basis(tables: Sequence[Table]) -> str:
    names = [OUTCOMES[outcome][1] for outcome in _COLUMNS[:-1]]
    lines = ["| ours is | cells | " + " | ".join(names) + " |", "|---" * (len(names) + 2) + "|"]
    for basis, words in BASES.items():
        counts = Counter(cell.outcome for table in tables for cell in table.cells if cell.basis == basis)
        numbers = [counts[outcome] for outcome in _COLUMNS[:-1]]
        lines.append(f"| {words} | {sum(numbers):,} | " + " | ".join(f"{n:,}" if n else "" for n in numbers) + " |")
    return "\n".join(lines)


def _reasons(tables: Sequence[Table]) -> str:
    where: dict[str, Counter[str]] = {}
    for table in tables:
        for cell in table.cells:
            if cell.outcome == "absent":
                where.setdefault(cell.note, Counter())[table.name] += 1
    ranked = sorted(where.items(), key=lambda entry: -entry[1].total())
    lines = ["| cells | why | tables |", "|---|---|---|"]
    return "\n".join([*lines, *(f"| {count.total():,} | {why} | {', '.join(count)} |" for why, count in ranked)])
