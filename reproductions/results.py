"""The stored results, a line a cell, and the page that is made from them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from reproductions.cells import Table
from reproductions.page import render
from reproductions.published import ROOT

RESULTS = Path(__file__).parent / "results.json"
PAGE = ROOT / "docs" / "reproductions.md"


def load_results() -> list[Table]:
    """The tables as they came out last."""
    if not RESULTS.exists():
        return []
    return [Table.of_dict(table) for table in json.loads(RESULTS.read_text(encoding="utf-8"))]


def store_results(tables: Sequence[Table]) -> None:
    """Write the results, and the page from what was written."""
    parts = []
    for table in tables:
        stored = table.to_dict()
        cells = ",\n".join("  " + json.dumps(cell, ensure_ascii=False) for cell in stored.pop("cells"))
        head = json.dumps(stored, ensure_ascii=False)
        parts.append(f'{head[:-1]}, "cells": [\n{cells}\n]}}')
    RESULTS.write_text("[\n" + ",\n".join(parts) + "\n]\n", encoding="utf-8")
    PAGE.write_text(render(load_results()), encoding="utf-8")
