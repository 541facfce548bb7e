"""Noise, triangles, drift and learning as JSON documents."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from ludometer.wording import time_text

if TYPE_CHECKING:
    from ludometer.learning import Learning, Tracked
    from ludometer.learning.tracking import Rates
    from ludometer.ratings import Drift, Noise, PrintedNoise, Triangles
    from ludometer.ratings.cycles.triangles import TriangleShare
    from ludometer.ratings.noise.noise import PrintedTerms
    from ludometer.result import Provenance


def noise_document(noise: Noise) -> dict[str, Any]:
    """The corrected formulas; `refined` holds for large steps too."""
    return {
        "sigma": noise.sd,
        "games": noise.games,
        "h": noise.step,
        "entry_error": noise.entry_error,
        "lifetimes": noise.lifetimes,
        "fluctuation": noise.fluctuation,
        "total": noise.total,
        "h_opt": noise.optimal_step,
        "h_bound": noise.bound,
        "refined": {"fluctuation": noise.refined_fluctuation, "total": noise.refined_total},
        "absent": _unread(noise.provenance),
    }


def printed_noise_document(noise: PrintedNoise) -> dict[str, Any]:
    """As printed, and under `equal` for equal opponents."""
    return _printed(noise) | {"equal": _printed(noise.equal), "absent": _unread(noise.provenance)}


def _unread(provenance: Provenance) -> dict[str, str]:
    """What a result without a file, or without chance, does not have."""
    absent = {} if provenance.data is not None else {"provenance.data": "no file was read"}
    return absent if provenance.seed is not None else absent | {"provenance.seed": "nothing was simulated"}


def _printed(terms: PrintedTerms) -> dict[str, float]:
    return {
        "converging": terms.converging,
        "fluctuation": terms.fluctuation,
        "total": terms.total,
        "h_opt": terms.optimal_step,
        "h_bound": terms.bound,
    }


def triangles_document(found: Triangles) -> dict[str, Any]:
    """Shares beside what ratings alone would give, and T."""
    interval = found.noise_interval
    return {
        "min_games": found.min_games,
        "players": found.n_players,
        "pairs": found.n_pairs,
        "triads": found.n_triads,
        "cyclic": found.n_cyclic,
        "cyclic_share": _share(found.cyclic),
        "curl_share": _share(found.curl),
        "T": found.noise,
        "T_interval": None if interval is None else list(interval),
        "T_p_value": found.noise_p_value,
        "detected": found.detected,
    }


def triangles_absences(found: Triangles) -> dict[str, str]:
    """Why something of them is null."""
    absent = {}
    for name, value in (("cyclic_share", found.cyclic), ("curl_share", found.curl)):
        if value is None:
            absent[f"triangles.{name}"] = "no three players all met often enough"
    endless = "no finite one explains the results"
    if found.noise is None:
        absent["triangles.T"] = endless
    if found.noise_interval is None:
        absent["triangles.T_interval"] = endless
    elif found.noise_interval[1] is None:
        absent["triangles.T_interval.1"] = endless
    return absent


def _share(share: TriangleShare | None) -> dict[str, Any] | None:
    if share is None:
        return None
    return {
        "observed": share.observed,
        "expected": share.expected,
        "expected_interval": [share.low, share.high],
        "p_value": share.p_value,
    }


def drift_document(drift: Drift) -> dict[str, Any]:
    """A row a period; a mean of nobody is null."""
    return {
        "cohort": drift.cohort,
        "change": drift.change,
        "change_std_error": drift.change_std_error,
        "periods": [row | {"period": time_text(row["period"])} for row in drift.to_frame().iter_rows(named=True)],
    }


def drift_absences(drift: Drift) -> dict[str, str]:
    """Why something of it is null; of periods once, for all of them."""
    absent = {}
    for name in ("change", "change_std_error"):
        if getattr(drift, name) is None:
            absent[f"drift.{name}"] = "nobody played in all periods, or there is only one"
    frame = drift.to_frame()
    for name in ("cohort", "active", "entrants", "leavers"):
        if frame[name].null_count():
            absent[f"drift.periods.{name}"] = "nobody in that period"
    return absent


def learning_document(study: Learning) -> dict[str, Any]:
    """L / D by class, shapes of the distribution, and, of a record, learning as followed."""
    absent = _unread(study.provenance)
    frame = study.to_frame()
    for name in frame.columns:
        if frame[name].null_count():
            absent[f"bins.{name}"] = "nobody in that class, or nobody was followed through it"
    if study.tracked is None:
        absent |= {"tracked": "a list of ratings: nobody can be followed", "death_rates": "nobody was followed"}
    else:
        absent |= _tracked_absences(study.tracked)
    return {
        "ratings": study.n_ratings,
        "bins": frame.to_dicts(),
        "shapes": [
            {
                "shape": fit.shape,
                "parameters": fit.parameters,
                "log_likelihood": fit.log_likelihood,
                "aic": fit.aic,
                "difference": fit.difference,
                "difference_error": fit.difference_error,
            }
            for fit in study.distributions.fits
        ],
        "tracked": None if study.tracked is None else _tracked(study.tracked),
        "death_rates": None if study.tracked is None else [vars(rate) for rate in study.death_rates],
        "absent": absent,
    }


def _tracked(tracked: Tracked) -> dict[str, Any]:
    return {
        "players": tracked.n_players,
        "changes": tracked.n_changes,
        "anchor": tracked.anchor,
        "time_unit": tracked.time_unit,
        "overall": _rates(tracked.overall)[0],
        "classes": _rates(tracked.classes),
        "experience": None if tracked.experience is None else _rates(tracked.experience),
    }


def _tracked_absences(tracked: Tracked) -> dict[str, str]:
    absent = {}
    if tracked.time_unit is None:
        absent["tracked.time_unit"] = "the record has no times"
    if tracked.experience is None:
        absent["tracked.experience"] = "nobody entered in the course of the record"
    if tracked.anchor is None:
        absent["tracked.anchor"] = "a list of ratings"
    rows = [tracked.overall, tracked.classes, *([] if tracked.experience is None else [tracked.experience])]
    if any(_has_gaps(rates) for rates in rows):
        absent["tracked.rates"] = "fewer than two players in a class, or no times"
    return absent


def _has_gaps(rates: Rates) -> bool:
    return any(value is None for row in _rates(rates) for value in row.values())


def _rates(rates: Rates) -> list[dict[str, Any]]:
    return [
        {name: None if isinstance(value, float) and not math.isfinite(value) else value for name, value in row.items()}
        for row in rates.to_frame().iter_rows(named=True)
    ]
