"""The tables of docs/benchmarks.md that are made of stored results: peers and growth.

python benchmarks/tables.py [--check]
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from schedules import stored

PAGE = Path(__file__).parents[1] / "docs" / "benchmarks.md"
SECTIONS = ("peers", "growth")


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


def section(name: str) -> list[str]:
    """What belongs between the marks of a section."""
    results = stored(name)
    if not results:
        return ["Not measured yet."]
    return peers_table(results["peers"]) if name == "peers" else growth_tables(results["sizes"])


def page(text: str) -> str:
    """The page with its sections made of what is stored now."""
    for name in SECTIONS:
        begin, end = f"<!-- benchmarks/tables.py: {name} -->", f"<!-- end of {name} -->"
        if not text.count(begin) == text.count(end) == 1:
            raise ValueError(f"the page needs one place for {name}")
        before, after = text.partition(begin)[0], text.partition(end)[2]
        text = before + "\n".join([begin, "", *section(name), "", end]) + after
    return text


def write() -> None:
    """Put the tables into the page."""
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")


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
        text = PAGE.read_text(encoding="utf-8")
        sys.exit("run benchmarks/tables.py: docs/benchmarks.md is out of date" if page(text) != text else 0)
    write()


if __name__ == "__main__":
    main()
