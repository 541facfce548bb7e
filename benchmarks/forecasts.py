"""Forecasts against peers: one table per record, every system at its best, all on the same matches.

    sh benchmarks/run.sh forecasts [--record NAME] [--system TEXT] [--fresh] [--kept] [--quick]
                                     [--from-results] [--speed]

NAME is one of the records below (default: all that are there), TEXT part of a system's name. The records are in
LUDOMETER_SHARED (default ../shared). `benchmarks/run.sh` installs the peers (requirements/benchmarks.txt, or
`pip install riix openskill trueskill kickscore trueskillthroughtime whole-history-rating glicko2 elommr`); those that
cannot be imported are listed and left out. --quick plays the last 4,000 matches with six evaluations each and stores
nothing; --from-results prints what is stored; --speed measures only the rows of speed.

The protocol, the same for all:

1. Exact duplicates and walkovers are dropped. Times are days for whoever can use time; tennis dates a tournament by
   its first day, so its rounds are taken to be a day apart. Within a day the file's order is kept.
2. The log loss of the last half is compared (from the day nearest to the middle on): a draw is half a win and half a
   loss. Everybody forecasts every match before it is played, newcomers too.
3. Parameters are tuned on the first half only: log loss of forecasts made within it, the first fifth as a cold start
   left out; Nelder and Mead's search from the documented defaults with the number of evaluations that the table names,
   on the last matches of the first half where a package is slow (the table says how many). kickscore and
   trueskillthroughtime are tuned by the evidence that they compute themselves. Ours are tuned by ludometer's own
   tuning, as in `evaluate`, and the state space fits itself.
4. Packages that fit a whole record at once forecast by fitting again: to all before a date, for the days after it.
5. Differences are to the state space filter, with standard errors clustered by player.
6. Seconds are processor time of one pass over the whole record with its forecasts; for those that fit again, of all
   fits from the middle on.

Forecasts are kept outside the project in LUDOMETER_FORECASTS (default benchmarks/.forecasts), so that one more system
does not need all others again; a new version of a package, or --fresh, makes them anew, and --kept leaves out those
without. Ours are made anew when our code has changed. Figures are stored in
benchmarks/results/forecasts.json and the tables of docs/benchmarks.md.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import forecast_speed
import ludometer
import tables
from forecast_batch_peers import BATCH
from forecast_online_peers import ONLINE
from forecast_ours import OURS, REFERENCE
from forecast_peer import Peer, Ready, Tuned, tune
from forecast_records import FILES, SHARED, Record, clustered_error, load_record
from ludometer.arrays import Floats
from schedules import store, stored

KEPT = Path(os.environ.get("LUDOMETER_FORECASTS") or Path(__file__).parent / ".forecasts")
PEERS = (*OURS, *ONLINE, *BATCH)
QUICK_MATCHES, QUICK_EVALUATIONS = 4_000, 6


@dataclass(frozen=True)
class Forecasts:
    """Of the scored matches, by one system, and what they took."""

    expected: Floats
    tuned: Tuned
    seconds: float
    version: str

    def save(self, path: Path) -> None:
        """Keep for the next run."""
        path.parent.mkdir(parents=True, exist_ok=True)
        about = {"tuned": vars(self.tuned), "seconds": self.seconds, "version": self.version}
        with path.open("wb") as file:
            np.savez_compressed(file, expected=self.expected, about=np.array(json.dumps(about)))

    @classmethod
    def load(cls, path: Path) -> Forecasts:
        """What an earlier run kept."""
        with np.load(path, allow_pickle=False) as file:
            about = json.loads(str(file["about"]))
            return cls(file["expected"], Tuned(**about["tuned"]), about["seconds"], about["version"])


def make_forecasts(peer: Peer, record: Record) -> Forecasts:
    """Tune on the first half, then play all and keep the forecasts of the last."""
    if peer.fit is not None:
        return _make_ours(peer, peer.fit, record)
    assert peer.forecast is not None
    tuned = tune(peer, record)
    begin = time.process_time()
    expected = peer.forecast(record, tuned.values, record.half)
    return Forecasts(np.asarray(expected, np.float64), tuned, time.process_time() - begin, peer.version)


def _make_ours(peer: Peer, fit: Callable[[Record], Ready], record: Record) -> Forecasts:
    """The second pass counts: the first may compile."""
    begin = time.process_time()
    ready = fit(record)
    tuned = Tuned(ready.parameters, 0, record.half, time.process_time() - begin)
    expected = ready.play()
    begin = time.process_time()
    ready.play()
    return Forecasts(expected, tuned, time.process_time() - begin, peer.version)


def find_forecasts(peer: Peer, record: Record, *, fresh: bool, only_kept: bool) -> Forecasts | None:
    """Those of an earlier run with the same version, matches and search, or new ones if they are wanted."""
    described = (
        f"{peer.package} {peer.version} {peer.name} {peer.knobs} {peer.evaluations} {peer.tuned_on} {peer.works}"
    )
    digest = hashlib.sha256((our_code() if peer.is_ours else described).encode())
    for column in (record.first, record.second, record.score, record.day, record.home):
        digest.update(np.ascontiguousarray(column).tobytes())
    path = KEPT / f"{record.name} {peer.name} {digest.hexdigest()[:12]}.npz".replace(" ", "-").replace(",", "")
    if path.exists() and not fresh:
        return Forecasts.load(path)
    if only_kept:
        return None
    made = make_forecasts(peer, record)
    made.save(path)
    return made


@cache
def our_code() -> str:
    """A hash of what our forecasts depend on, so that those of another state of the project are not taken for ours."""
    source = Path(ludometer.__file__).parent
    files = sorted(path for room in ("ratings", "kernels", "strength") for path in (source / room).rglob("*.py"))
    return hashlib.sha256(b"".join(path.read_bytes() for path in files)).hexdigest()


def measure_record(
    record: Record, peers: list[Peer], *, fresh: bool = False, keeps: bool = True, only_kept: bool = False
) -> dict[str, Any]:
    """The rows of one record: figures of all systems on the same matches."""
    rows: list[dict[str, Any]] = []
    losses: dict[str, Floats] = {}
    scored = record.part(record.half, len(record))
    for peer in peers:
        if not peer.suits(record):
            continue
        row: dict[str, Any] = {"system": peer.name, "package": peer.package}
        rows.append(row)
        if not peer.is_here:
            row["missing"] = "not installed"
        elif len(record) > peer.most:
            row["missing"] = f"too slow for {len(record):,} matches"
        elif (found := _found(peer, record, fresh=fresh, keeps=keeps, only_kept=only_kept)) is None:
            row["missing"] = "not measured"
        else:
            losses[peer.name] = scored.log_loss(found.expected)
            row |= _figures(peer, scored, found, losses[peer.name])
        print(f"{record.name:18s} {peer.name:36s} {row.get('log_loss', row.get('missing'))}", flush=True)
    reference = next((name for name in (REFERENCE, *losses) if name in losses), None)
    for row in rows:
        if reference is not None and row["system"] in losses:
            difference = losses[row["system"]] - losses[reference]
            row["difference"] = round(float(difference.mean()), 6)
            row["error"] = round(clustered_error(scored, difference), 6) if row["system"] != reference else 0.0
    return {
        "record": record.name,
        "matches": len(record),
        "scored": len(scored),
        "players": record.players,
        "draws": round(scored.draw_rate, 4),
        "reference": reference,
        "systems": rows,
        "load": round(os.getloadavg()[0], 1),
    }


def _found(peer: Peer, record: Record, *, fresh: bool, keeps: bool, only_kept: bool) -> Forecasts | None:
    if not keeps:
        return make_forecasts(peer, record)
    return find_forecasts(peer, record, fresh=fresh, only_kept=only_kept)


def _figures(peer: Peer, scored: Record, found: Forecasts, loss: Floats) -> dict[str, Any]:
    favoured = np.where(found.expected > 0.5, scored.score, 1 - scored.score)
    right = np.where(found.expected == 0.5, 0.5, favoured)
    return {
        "version": found.version,
        "works": peer.works,
        "log_loss": round(float(loss.mean()), 6),
        "accuracy": round(float(right.mean()), 4),
        "seconds": _rounded(found.seconds),
        "tuning_seconds": _rounded(found.tuned.seconds),
        "evaluations": found.tuned.evaluations,
        "tuned_on": found.tuned.matches,
        "parameters": found.tuned.values,
        "remark": peer.remark,
    }


def print_table(measured: dict[str, Any]) -> None:
    """One record, best first."""
    print(
        f"\n{measured['record']}: {measured['scored']:,} matches scored of {measured['matches']:,}, "
        f"{measured['players']:,} players"
    )
    there = [row for row in measured["systems"] if "log_loss" in row]
    for row in sorted(there, key=lambda row: row["log_loss"]):
        name = (
            row["system"] if row["package"] == "ludometer" else f"{row['system']} ({row['package']} {row['version']})"
        )
        print(
            f"  {row['log_loss']:.4f}  {row['difference']:+.4f} ± {row['error']:.4f}  {row['seconds']:9.4g} s  "
            f"{row['accuracy']:.1%}  {name}; {row['works']}"
        )
    for row in measured["systems"]:
        if "missing" in row:
            print(f"  {row['system']}: {row['missing']}")


def main() -> None:
    """Measure, print, store."""
    asked = _parse()
    if asked.from_results:
        for measured in stored("forecasts").get("records", []):
            print_table(measured)
        return
    if asked.speed:
        speed = forecast_speed.measure(0.1 if asked.quick else 1.0)
        if not asked.quick:
            store("forecasts", stored("forecasts") | {"speed": speed})
            tables.write()
        return
    peers = [peer for peer in PEERS if not asked.system or any(text in peer.name for text in asked.system)]
    results = {} if asked.quick else stored("forecasts")
    known = {measured["record"]: measured for measured in results.get("records", [])}
    for name in asked.record or FILES:
        if not (SHARED / "data" / f"{FILES[name]}.parquet").exists():
            print(f"{name}: no data in {SHARED / 'data'}")
            continue
        record = load_record(name)
        if asked.quick:
            record = record.part(max(0, len(record) - QUICK_MATCHES), len(record))
            quick = [replace(peer, evaluations=min(peer.evaluations, QUICK_EVALUATIONS)) for peer in peers]
            print_table(measure_record(record, quick, keeps=False))
            continue
        known[name] = measure_record(record, peers, fresh=asked.fresh, only_kept=asked.kept)
        print_table(known[name])
        if not asked.system:
            store("forecasts", results | {"records": [known[one] for one in FILES if one in known]})
    if not asked.quick and not asked.system:
        tables.write()


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Forecasts against peers")
    parser.add_argument("--record", action="append", choices=list(FILES))
    parser.add_argument("--system", action="append", help="part of a name; nothing is stored then")
    parser.add_argument("--fresh", action="store_true", help="forecast anew what is kept")
    parser.add_argument("--kept", action="store_true", help="only what is kept")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--from-results", action="store_true")
    parser.add_argument("--speed", action="store_true")
    return parser.parse_args()


def _rounded(value: float, digits: int = 3) -> float:
    return float(f"{value:.{digits}g}")


if __name__ == "__main__":
    main()
