"""Fit the parameters to a record: maximum prequential likelihood, ingredient by ingredient.

The objective is the sum of the log losses of forecasts that were each made before their match, after a cold start, plus
a weak belief that keeps short records sensible. Its gradient and the outer products of the matches' gradients (Berndt,
Hall, Hall and Hausman 1974) come from runs with one parameter moved a little, eight at a time; a step is the best of
eight damped ones. An ingredient is kept if the record after the part to which it was fitted is forecast better with it.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

import numpy as np

from ludometer.arrays import Floats
from ludometer.ratings.state_space.parameters import BASIC, INGREDIENTS, TIMELESS, Ingredient, Knob, Parameters
from ludometer.ratings.state_space.runs import LANES, Run, Runs

_COLD = 0.05
"""The first matches, whose forecasts tell more about ignorance than about parameters, do not count."""
_LATER = 0.7
"""Ingredients are fitted to this share of the record and judged on the rest."""
_FEWEST = 200
"""With fewer results to judge by, only the basic ingredient and the advantage are tried."""
_LEAST_GAIN = 1.0
"""What an ingredient has to gain in log likelihood on the rest, beside more than its standard error."""
_PART = 1 << 15
_MOVE = 1e-4
_DAMPING = ((0.0, 1.0), (0.0, 0.5), (0.0, 0.2), (0.1, 1.5), (0.3, 1.0), (1.0, 1.0), (10.0, 1.0), (100.0, 1.0))
"""What is added to the diagonal of the curvature, as a multiple of it, and the length of the step."""
_TRIAL_STEPS, _FINAL_STEPS = 5, 12

Say = Callable[[str], None]
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Trial:
    """An ingredient that was tried: what it gained per match on the later part of the record."""

    ingredient: str
    gain: float
    error: float
    kept: bool


@dataclass(frozen=True)
class Fit:
    """Parameters fitted to a record, their standard errors, and which ingredients were tried."""

    parameters: Parameters
    errors: dict[str, float] = field(default_factory=dict)
    trials: tuple[Trial, ...] = ()
    n_matches: int = 0
    log_loss: float | None = None

    def document(self) -> dict[str, Any]:
        """As JSON."""
        return {
            "parameters": self.parameters.document(),
            "errors": self.errors,
            "ingredients": [vars(trial) for trial in self.trials],
            "matches": self.n_matches,
            "log_loss": self.log_loss,
        }


def fit(
    runs: Runs,
    has: frozenset[str] = frozenset(),
    *,
    fixed: dict[str, Any] | None = None,
    ingredients: Sequence[Ingredient] = INGREDIENTS,
    select: bool = True,
) -> Fit:
    """Fit the basic parameters, then try the ingredients one after the other, and fit what is kept to all matches.

    `has` names the columns of the record (time, advantage, ...). `fixed` parameters stay as they are. Without `select`
    all the ingredients are kept.
    """
    fixed = fixed or {}
    basic = _free(BASIC if "time" in has else TIMELESS, fixed)
    off = {} if "time" in has else {"drift": 0.0}
    start = Parameters.of({**{knob.name: knob.begin for knob in basic.knobs}, **off, **fixed})
    n = len(runs)
    with ThreadPoolExecutor(2) as pool:
        search = _Search(runs, pool, cold=int(_COLD * n), until=n)
        early = replace(search, until=int(_LATER * n))
        is_short = runs.n_results(early.until) < _FEWEST
        kept, trials = list(basic.knobs), list[Trial]()
        present = early.descend(start, kept, _FINAL_STEPS)
        later = None
        for one in (_free(ingredient, fixed) for ingredient in ingredients):
            if not _is_possible(one, has, trials) or (select and is_short and one.name != "advantage"):
                continue
            begin = present.moved({knob.name: knob.begin for knob in one.knobs})
            tried = early.descend(begin, [*kept, *one.knobs], _TRIAL_STEPS)
            later = early.judge(present) if later is None else later
            after = early.judge(tried)
            gains = later - after
            gain, error = float(gains.mean()), float(gains.std() / np.sqrt(len(gains)))
            pays = not select or gain > max(error, _LEAST_GAIN / len(gains))
            trials.append(Trial(one.name, gain, error, pays))
            _log.debug("%s gains %.6f (%.6f) a match", one.name, gain, error)
            if pays:
                present, later, kept = tried, after, [*kept, *one.knobs]
        best = search.descend(present, kept, _FINAL_STEPS)
        loss, errors = search.errors(best, kept)
    return Fit(best, errors, tuple(trials), n, loss)


def _free(ingredient: Ingredient, fixed: dict[str, Any]) -> Ingredient:
    return replace(ingredient, knobs=tuple(knob for knob in ingredient.knobs if knob.name not in fixed))


def _is_possible(ingredient: Ingredient, has: frozenset[str], trials: list[Trial]) -> bool:
    if not ingredient.knobs:
        return False
    return (
        not ingredient.needs
        or ingredient.needs in has
        or any(trial.kept and trial.ingredient == ingredient.needs for trial in trials)
    )


@dataclass(frozen=True)
class _Search:
    """The objective over the matches from `cold` to before `until`, and the way down."""

    runs: Runs
    pool: ThreadPoolExecutor
    cold: int
    until: int

    def descend(self, start: Parameters, knobs: Sequence[Knob], most: int) -> Parameters:
        """The parameters with the least objective, by damped steps from a start."""
        place = np.array([knob.to_scale(start.value(knob.name)) for knob in knobs])
        enough = max(0.02, 1e-6 * (self.until - self.cold))
        for _ in range(most):
            loss, slope, curvature = self.slopes(start, knobs, place)
            steps = [_step(slope, curvature, damping) * length for damping, length in _DAMPING]
            places = [place + np.clip(step, -1.5, 1.5) for step in steps]
            losses = self._objective(start, knobs, places)
            best = int(np.nanargmin(np.where(np.isfinite(losses), losses, np.inf)))
            if not losses[best] < loss:
                break
            place = places[best]
            if loss - losses[best] < enough:
                break
        return _moved(start, knobs, place)

    def judge(self, parameters: Parameters) -> Floats:
        """The losses of the matches after `until`."""
        run = self.runs.begin([parameters])
        return np.concatenate([losses[:, 0] for losses in _played(run, self.until, len(self.runs))])

    def errors(self, parameters: Parameters, knobs: Sequence[Knob]) -> tuple[float, dict[str, float]]:
        """The mean loss and the standard errors of the parameters."""
        place = np.array([knob.to_scale(parameters.value(knob.name)) for knob in knobs])
        loss, _, curvature = self.slopes(parameters, knobs, place)
        loss -= _penalty(knobs, place)
        variance = np.diag(np.linalg.pinv(curvature))
        errors = np.sqrt(np.maximum(variance, 0.0))
        in_units = {
            knob.name: float(error * (parameters.value(knob.name) if knob.is_log else knob.step))
            for knob, error in zip(knobs, errors, strict=True)
        }
        return loss / max(self.until - self.cold, 1), in_units

    def slopes(self, start: Parameters, knobs: Sequence[Knob], place: Floats) -> tuple[float, Floats, Floats]:
        """The objective at a place, its gradient, and the outer products of the matches' gradients."""
        moved = [place, *(place + _MOVE * unit for unit in np.eye(len(place)))]
        candidates = [_moved(start, knobs, one) for one in moved]
        groups = [self.runs.begin(candidates[at : at + LANES]) for at in range(0, len(candidates), LANES)]
        total, slope, products = 0.0, np.zeros(len(place)), np.zeros((len(place), len(place)))
        for losses in _played_together(groups, self.cold, self.until, self.pool):
            slopes = (losses[:, 1:] - losses[:, :1]) / _MOVE
            total += losses[:, 0].sum()
            slope += slopes.sum(axis=0)
            products += slopes.T @ slopes
        precision = np.array([knob.doubt**-2 for knob in knobs])
        pull = precision * (place - [knob.to_scale(knob.begin) for knob in knobs])
        return total + _penalty(knobs, place), slope + pull, products + np.diag(precision)

    def _objective(self, start: Parameters, knobs: Sequence[Knob], places: Sequence[Floats]) -> Floats:
        candidates = [_moved(start, knobs, place) for place in places]
        half = len(candidates) // 2 if self.until > _PART else len(candidates)
        groups = [self.runs.begin(part) for part in (candidates[:half], candidates[half:]) if part]
        played = _played_together(groups, self.cold, self.until, self.pool)
        total = sum((losses.sum(axis=0) for losses in played), np.zeros(len(places)))
        return np.asarray(total + [_penalty(knobs, place) for place in places])


def _played(run: Run, start: int, stop: int) -> list[Floats]:
    """The losses from start to before stop, part by part, after playing all before."""
    for at in range(0, start, _PART):
        run.play(at, min(at + _PART, start))
    return [run.play(at, min(at + _PART, stop)) for at in range(start, stop, _PART)]


def _played_together(groups: Sequence[Run], start: int, stop: int, pool: ThreadPoolExecutor) -> Any:
    """The losses of runs side by side, part by part."""
    edges = [*range(0, start, _PART), *range(start, stop, _PART), stop]
    for low, high in pairwise(edges):
        parts = [pool.submit(group.play, low, high) for group in groups]
        losses = np.concatenate([part.result() for part in parts], axis=1)
        if low >= start:
            yield losses


def _step(slope: Floats, curvature: Floats, damping: float) -> Floats:
    damped = curvature + damping * np.diag(np.diag(curvature))
    return np.asarray(-np.linalg.lstsq(damped, slope, rcond=None)[0])


def _moved(start: Parameters, knobs: Sequence[Knob], place: Floats) -> Parameters:
    values = {knob.name: knob.from_scale(float(at)) for knob, at in zip(knobs, place, strict=True)}
    return start.moved(values)


def _penalty(knobs: Sequence[Knob], place: Floats) -> float:
    away = [(at - knob.to_scale(knob.begin)) / knob.doubt for knob, at in zip(knobs, place, strict=True)]
    return 0.5 * float(np.square(away).sum())
