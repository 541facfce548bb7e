"""The tables of pages that are made of stored results: the whole answer, peers, growth, forecasts, full scale, luck.

python benchmarks/tables.py [--check]
"""

from __future__ import annotations

import math
import sys
from pathlib import Path
from typing import Any

from schedules import stored

DOCS = Path(__file__).parents[1] / "docs"
SECTIONS = {
    DOCS / "benchmarks.md": ("answer", "peers", "growth", "forecasts"),
    DOCS / "scale.md": ("full_scale",),
    DOCS / "luck.md": ("luck",),
}
TEN_BILLION, CORES = 10_000_000_000, (1, 2, 8, 30)
FEWEST_TO_EXTRAPOLATE = 10_000_000
"""Matches below which what every run costs weighs too much."""

SHARED_STAGES = ("yardsticks", "repeats", "checks")
"""Stages whose tasks are divided among workers."""

DETAILED = ("football", "chess")
"""Records whose table names every system with its costs."""


def answer_table(rows: dict[str, dict[str, Any]]) -> list[str]:
    """One line per record: what the whole answer costs beside the quick one, and how far it has moved."""
    lines = [
        "| record | `--quick`, s | whole answer, s | ratio | wanted | wall clock, s "
        "| estimates moved by | ends moved by | other verdicts |",
        "|---|--:|--:|--:|---|--:|--:|--:|---|",
    ]
    for name, row in rows.items():
        wanted = f"at most {row['most_ratio']:g}" if row["most_ratio"] else ""
        if row["most_seconds"]:
            wanted = f"at most {row['most_seconds']:g} s by the wall clock"
        costs = f"{_short(row['quick_seconds'])} | {_short(row['seconds'])} | {row['ratio']:g} | {wanted}"
        lines.append(f"| {name} | {costs} | {_short(row['wall_seconds'])} | {_moves(row.get('compared'))} |")
    return [*lines, "", _load_line([row["load"] for row in rows.values()])]


def luck_table(results: dict[str, dict[str, Any]]) -> list[str]:
    """One line per schedule and spread of skills: the true L, its estimates, and how often the interval covers."""
    lines = [
        "| schedule | σ | true L | corrected, mean ± SD | cut off at 1 | penalised skills | true ℓ² | corrected ℓ² "
        "| penalised skills | 95% interval covers | records |",
        "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|",
    ]
    for cell, row in results.items():
        schedule, _, sigma = cell.rpartition(", ")
        luck = f"{row['L']:.4f} | {row['L_mean']:.4f} ± {row['L_sd']:.4f} | {row['L_clipped']:.4f}"
        share = f"{row['l2']:.3f} | {row['l2_mean']:.3f} ± {row['l2_sd']:.3f} | {row['l2_penalised']:.3f}"
        covers = f"{100 * row['covered']:.0f}% | {row['runs']}"
        lines.append(f"| {schedule} | {sigma} | {luck} | {row['L_penalised']:.4f} | {share} | {covers} |")
    return lines


def _moves(compared: dict[str, Any] | None) -> str:
    """The figures that moved furthest, and the checks whose verdict is another one."""
    if compared is None:
        return "| | not compared"
    cells = []
    figures = compared["figures"].items()
    shifts = {name: [moved["shift"]] for name, moved in figures}
    for moves in (shifts, {name: moved["ends"] for name, moved in figures}):
        # what is there only once has moved without bound
        most, name = max((math.inf if by is None else abs(by), name) for name, all_by in moves.items() for by in all_by)
        cells.append("0" if not most else f"{most:.2f} ({name})" if most < math.inf else f"{name} is new or gone")
    differing = len(compared["checks_that_differ"])
    answers = compared["answer"]
    words = f"{differing} of {compared['checks']} checks"
    cells.append(words if answers[0] == answers[1] else f"{words}; {answers[0]} is now {answers[1]}")
    return " | ".join(cells)


def peers_table(rows: list[dict[str, Any]]) -> list[str]:
    """One line per peer: the same work, what it costs, the ratio, and how the answers agree."""
    lines = [
        "| peer | work | ours | record | peer, µs | ours, µs | ratio | answers |",
        "|---|---|---|---|--:|--:|--:|---|",
    ]
    for row in rows:
        if "missing" in row:
            lines.append(f"| {row['peer']} | {row['missing']} | | | | | | |")
            continue
        ours = f"`{row['ours']}`" if row["is_same"] else f"`{row['ours']}`: nearest, not the same"
        a_unit = "" if row["unit"] == "per match" else f" {row['unit']}"
        lines.append(
            f"| {row['peer']} {row['version']} | {row['work']} | {ours} | {row['matches']:,} matches of "
            f"{row['players']:,} | {_short(row['microseconds'])}{a_unit} | {_short(row['our_microseconds'])} | "
            f"{_short(row['ratio'], 2)} | {_answers(row)} |"
        )
    loads = [row["load"] for row in rows if "load" in row]
    return [*lines, "", _load_line(loads)]


def growth_tables(rows: list[dict[str, Any]]) -> list[str]:
    """Ours by C in eight lanes, and `measure --quick`, for every size."""
    lines = [
        "![Nanoseconds per match by number of matches and players](growth.svg)",
        "",
        *_grid(rows, "a pass in 8 lanes, ours / C", lambda row: _over(row, "8 lanes", "C, 8 lanes")),
        "",
        *_grid(rows, "a pass with one k, ours / C", lambda row: _over(row, "one k", "C, one k")),
        "",
        *_grid(rows, "`measure --quick` in memory, ns per match", lambda row: f"{row['measure --quick']:,.0f}"),
        "",
    ]
    largest = max(rows, key=lambda row: (row["matches"], row["players"]))
    lines.append(
        f"{largest['matches']:,} matches of {largest['players']:,} players: {largest['streamed, 8 lanes']:.1f} ns per "
        f"match and lane streamed from a file, with {largest['peak_gib_streaming']:.1f} GiB; `measure --quick` "
        f"{largest['measure --quick'] * largest['matches'] / 1e9:.0f} seconds after reading, with "
        f"{largest['peak_gib_measuring']:.1f} GiB."
    )
    return [*lines, "", _load_line([row["load"] for row in rows])]


def forecast_tables(results: dict[str, Any]) -> list[str]:
    """Log loss of every system on every record, then two records in full, then what the state space costs."""
    records = results.get("records", [])
    lines = _forecast_matrix(records) if records else []
    for measured in records:
        if measured["record"] in DETAILED:
            lines += ["", *_forecast_details(measured)]
    if "speed" in results:
        lines += ["", *_speed_table(results["speed"])]
    return [*lines, "", _load_line([measured["load"] for measured in records])]


def _forecast_matrix(records: list[dict[str, Any]]) -> list[str]:
    found = [{row["system"]: row for row in one["systems"] if "log_loss" in row} for one in records]
    best = [min(row["log_loss"] for row in rows.values()) for rows in found]
    names = list(dict.fromkeys(row["system"] for one in records for row in one["systems"]))
    lines = [
        "| log loss | " + " | ".join(one["record"] for one in records) + " |",
        "|---" + "|--:" * len(records) + "|",
        "| matches scored | " + " | ".join(f"{one['scored']:,}" for one in records) + " |",
    ]
    for name in names:
        cells = [_loss(rows.get(name), least) for rows, least in zip(found, best, strict=True)]
        if any(cells):
            package = next(row["package"] for one in records for row in one["systems"] if row["system"] == name)
            shown = f"`{name}`" if package == "ludometer" else name
            lines.append(f"| {shown} | " + " | ".join(cells) + " |")
    return lines


def _loss(row: dict[str, Any] | None, least: float) -> str:
    if row is None:
        return ""
    text = f"{row['log_loss']:.4f}"
    return f"**{text}**" if text == f"{least:.4f}" else text


def _forecast_details(measured: dict[str, Any]) -> list[str]:
    rows = sorted((row for row in measured["systems"] if "log_loss" in row), key=lambda row: float(row["log_loss"]))
    lines = [
        f"| {measured['record']} | version | log loss | above `{measured['reference']}` | right | seconds per pass | "
        "results are taken in | tuned |",
        "|---|---|--:|--:|--:|--:|---|---|",
    ]
    for row in rows:
        is_ours = row["package"] == "ludometer"
        above = "" if row["system"] == measured["reference"] else f"{row['difference']:+.4f} ± {row['error']:.4f}"
        lines.append(
            f"| {'`' + row['system'] + '`' if is_ours else row['system']} | {row['package']} {row['version']} | "
            f"{row['log_loss']:.4f} | {above} | {row['accuracy']:.1%} | {_short(row['seconds'])} | {row['works']} | "
            f"{_tuning(row)} |"
        )
    missing: dict[str, list[str]] = {}
    for row in measured["systems"]:
        if "missing" in row:
            missing.setdefault(row["missing"], []).append(row["system"])
    left_out = [f"Left out ({why}): {'; '.join(names)}." for why, names in missing.items()]
    return [*lines, *(line for sentence in left_out for line in ("", sentence))]


def _tuning(row: dict[str, Any]) -> str:
    if not row["evaluations"]:
        return "by ludometer"
    words = f"{row['evaluations']} evaluations on {row['tuned_on']:,} matches"
    return f"{words}, {row['remark']}" if row["remark"] else words


def _speed_table(speed: dict[str, Any]) -> list[str]:
    lines = ["| what | against | measured | wanted |", "|---|---|--:|---|"]
    for row in speed["rows"]:
        lines.append(
            f"| {row['what']} | {row['against']} | {_short(row['measured'])} {row['unit']} | {row['wanted']} |"
        )
    return lines


def full_scale_tables(results: dict[str, Any]) -> list[str]:
    """For each size what every stage costs, and what ten billion matches would cost at the rate of the largest."""
    lines = []
    for found in results.values():
        n = found["matches"]
        lines += [
            f"{n:,} matches of {found['players']:,} players on {found['cores']} cores{_with(found['options'])}: "
            f"{found['full']['seconds'] / 60:.1f} minutes by the clock, {found['full']['peak_gib']:.1f} GiB at "
            f"the peak, {found['ratio_of_cpu']:g} times `--quick` in processor time.",
            "",
            "| stage | processor seconds | ns per match | peak, GiB |",
            "|---|--:|--:|--:|",
        ]
        for name, cost in [*found["stages"].items(), ("all", found["full"])]:
            per_match = _short(cost["cpu"] / n * 1e9)
            peak = "" if cost["peak_gib"] is None else f"{cost['peak_gib']:.2f}"
            lines.append(f"| {name} | {_short(cost['cpu'])} | {per_match} | {peak} |")
        lines.append("")
    largest = list(results.values())[-1]
    return [*lines, *_ten_billion(largest)] if largest["matches"] >= FEWEST_TO_EXTRAPOLATE else lines[:-1]


def _with(options: list[str]) -> str:
    return f", with `{' '.join(options)}`" if options else ""


def _ten_billion(largest: dict[str, Any]) -> list[str]:
    """What ten billion matches would cost at the rate of the largest record that was measured."""
    times = TEN_BILLION / largest["matches"]
    shared = sum(cost["cpu"] for name, cost in largest["stages"].items() if name in SHARED_STAGES)
    alone = largest["full"]["cpu"] - shared
    hours = [_short((alone + shared / cores) * times / 3600) for cores in CORES]
    low, high = largest["skill_share_interval"]
    return [
        "At the rate of the largest of these, 10 billion matches would take "
        f"{_short(largest['full']['peak_gib'] * times)} GiB in one process and, where yardsticks, repeats and "
        "checks are divided among cores and all else is done by one:",
        "",
        "| cores | " + " | ".join(map(str, CORES)) + " |",
        "|---" + "|--:" * len(CORES) + "|",
        "| hours | " + " | ".join(hours) + " |",
        "",
        f"They would hardly tell more: the skill share of {largest['matches']:,} matches is "
        f"{largest['skill_share']:.1f}% [{low:.1f}, {high:.1f}].",
    ]


def section(name: str) -> list[str]:
    """What belongs between the marks of a section."""
    results = stored(name)
    if not results:
        return ["Not measured yet."]
    if name == "forecasts":
        return forecast_tables(results)
    if name == "answer":
        return answer_table(results)
    if name == "full_scale":
        return full_scale_tables(results)
    if name == "luck":
        return luck_table(results)
    return peers_table(results["peers"]) if name == "peers" else growth_tables(results["sizes"])


def page(text: str, sections: tuple[str, ...]) -> str:
    """The page with its sections made of what is stored now."""
    for name in sections:
        begin, end = f"<!-- benchmarks/tables.py: {name} -->", f"<!-- end of {name} -->"
        if not text.count(begin) == text.count(end) == 1:
            raise ValueError(f"the page needs one place for {name}")
        before, after = text.partition(begin)[0], text.partition(end)[2]
        text = before + "\n".join([begin, "", *section(name), "", end]) + after
    return text


def write() -> None:
    """Put the tables into the pages."""
    for path, sections in SECTIONS.items():
        path.write_text(page(path.read_text(encoding="utf-8"), sections), encoding="utf-8")


def _answers(row: dict[str, Any]) -> str:
    if row["log_loss"]:
        losses = dict(row["log_loss"])
        peer = losses.pop("peer")
        others = ", ".join(f"{name} {loss:.4f}" for name, loss in losses.items())
        return f"log loss of the other half {peer:.4f}; {others}"
    words = f"at most {row['difference']:.1g} {row['difference_unit']} apart"
    return f"{words}; {row['remark']}" if row["remark"] else words


def _grid(rows: list[dict[str, Any]], title: str, cell: Any) -> list[str]:
    counts = sorted({row["players"] for row in rows})
    lines = [
        f"| {title} | " + " | ".join(f"{n:,} players" for n in counts) + " |",
        "|---" + "|--:" * len(counts) + "|",
    ]
    for n_matches in sorted({row["matches"] for row in rows}):
        found = {row["players"]: cell(row) for row in rows if row["matches"] == n_matches}
        lines.append(f"| {n_matches:,} matches | " + " | ".join(found.get(n, "") for n in counts) + " |")
    return lines


def _over(row: dict[str, Any], ours: str, theirs: str) -> str:
    return f"{row[ours] / row[theirs]:.2f}" if theirs in row else "-"


def _load_line(loads: list[float]) -> str:
    if not loads:
        return ""
    low, high = min(loads), max(loads)
    return f"Measured at a load of {low:g} to {high:g}." if low < high else f"Measured at a load of {low:g}."


def _short(value: float, digits: int = 3) -> str:
    """Few digits, without an exponent.

    >>> _short(1798.4), _short(0.01065, 2), _short(54.37, 2)
    ('1,800', '0.011', '54')
    """
    rounded = float(f"{value:.{digits}g}")
    return f"{rounded:,.0f}" if rounded >= 10 ** (digits - 1) else f"{rounded:,.10f}".rstrip("0").rstrip(".")


def main() -> None:
    """Write the tables, or with --check only say whether they are up to date."""
    if "--check" in sys.argv:
        for path, sections in SECTIONS.items():
            text = path.read_text(encoding="utf-8")
            if page(text, sections) != text:
                sys.exit(f"run benchmarks/tables.py: docs/{path.name} is out of date")
        return
    write()


if __name__ == "__main__":
    main()
