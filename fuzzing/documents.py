"""JSON documents that users hand back to us, with some of their values replaced, dropped or added."""

from __future__ import annotations

import json
from random import Random
from typing import Any


def calibration(rng: Random) -> bytes:
    """A calibration of chess strengths."""
    document: dict[str, Any] = {
        "format": "ludometer chess calibration 1",
        "version": "1",
        "conventions": {"engine": "x", "depth": 12, "nodes": None, "mate_value": 3900},
        "filters": {"skip_plies": 0, "window": None, "phase": None, "gap": None},
        "reference": {"name": "engine", "gain": [0], "count": [1]},
        "units": "player",
        "level": 0.95,
        "data": None,
        "seed": 0,
        "points": [
            {"name": name, "rating": 1000.0 + 200 * place, "difference": -300.0 + 40 * place, "error": 20.0}
            for place, name in enumerate("abcde")
        ],
        "held_out": {"n": 5, "n_refused": 1, "coverage": 0.9, "rms_error": 55.0, "mean_width": 200.0},
    }
    return dumped(document, rng)


def winning_model(rng: Random) -> bytes:
    """A model of the declarer's chances."""
    from pathlib import Path

    from ludometer.skat.luck import winning

    document = json.loads(Path(winning.__file__).with_name("winning.json").read_text(encoding="utf-8"))
    return dumped(document, rng)


def dumped(document: Any, rng: Random) -> bytes:
    """A JSON document with some of its values replaced, dropped or added."""
    for _ in range(rng.choice((0, 0, 1, 2, 4))):
        _spoil(document, rng)
    return json.dumps(document).encode()


def _spoil(document: Any, rng: Random) -> None:
    values: tuple[Any, ...] = (
        None,
        0,
        -1,
        1e308,
        float("nan"),
        float("inf"),
        "x",
        "",
        [],
        {},
        [None],
        {"a": 1},
        True,
        1 << 80,
        [[0]],
        "1",
        -0.5,
    )
    at = document
    while True:
        keys: list[Any] = list(at) if isinstance(at, dict) else list(range(len(at)))
        if not keys:
            return
        key = rng.choice(keys)
        if isinstance(at[key], dict | list) and at[key] and rng.random() < 0.7:
            at = at[key]
            continue
        if rng.random() < 0.25:
            del at[key]
        else:
            at[key] = rng.choice(values)
        return
