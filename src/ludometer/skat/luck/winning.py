"""The declarer's chance to win, by kind of game: logistic models fitted on records, kept as plain coefficients.

Trump games: P = 1 / (1 + exp(-(a + b x))). Null: the product over the suits held, P = prod 1 / (1 + exp(-b x_suit)).
A model knows the shares of games won among the records it was fitted on (`normal`): a hand is only ever compared with
those of its own population.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from ludometer.arrays import Array, Floats
from ludometer.errors import LudometerError, NoFiniteFit
from ludometer.result import Provenance
from ludometer.skat.luck.features import (
    GRAND_FEATURES,
    GRAND_KIND,
    KINDS,
    NULL_FEATURES,
    NULL_KIND,
    SUIT_KIND,
    TRUMP_FEATURES,
    DeclaredGames,
    describe_grands,
    describe_null_suits,
    describe_suit_games,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from ludometer.skat.luck.calibration import Calibration

FORMAT = "ludometer skat winning model 1"
NULL_NAMES = (*NULL_FEATURES, "forehand", "hand game", "ouvert")
_FEWEST = 50
"""Below so many games of a kind there is no model of it."""

_STEPS = 100
_STEEPEST = 30.0
"""A slope of so many log odds a standard deviation is on its way to infinity."""


@dataclass(frozen=True)
class Coefficients:
    """Names of features and their coefficients; the first is the constant."""

    names: tuple[str, ...]
    values: tuple[float, ...]

    def apply(self, features: Floats) -> Floats:
        """The linear predictor."""
        result: Floats = self.values[0] + features @ np.array(self.values[1:])
        return result


@dataclass(frozen=True)
class WinningModel:
    """P(win) for suit games, grands and null; a part is None where the records had too few games for it."""

    suit: Coefficients | None
    grand: Coefficients | None
    null: Coefficients | None
    normal: dict[str, float]
    games: dict[str, int]
    provenance: Provenance = field(default_factory=lambda: Provenance("winning model"))

    def predict(self, games: DeclaredGames) -> Floats:
        """The chance of each declarer; NaN where the model has no part for the game."""
        chance = np.full(len(games), np.nan)
        kind = games.kind
        for part, describe, rows in (
            (self.suit, describe_suit_games, kind == SUIT_KIND),
            (self.grand, describe_grands, kind == GRAND_KIND),
        ):
            if part and rows.any():
                chance[rows] = _logistic(part.apply(describe(games.where(rows))))
        rows = kind >= NULL_KIND
        if self.null and rows.any():
            features, held = _describe_null(games.where(rows))
            chance[rows] = np.where(held, _logistic(features @ np.array(self.null.values)), 1.0).prod(axis=1)
        return chance

    def check(self, games: DeclaredGames, won: ArrayLike) -> Calibration:
        """How well it predicts these games: log loss, AUC and calibration."""
        from ludometer.skat.luck.calibration import calibrate

        return calibrate(self.predict(games), np.asarray(won, bool), games.kind)

    def save(self, path: str | Path) -> None:
        """Write the coefficients as JSON."""
        parts = {name: getattr(self, name) for name in ("suit", "grand", "null")}
        document = {
            "format": FORMAT,
            **{
                name: dict(zip(part.names, (round(value, 6) for value in part.values), strict=True)) if part else None
                for name, part in parts.items()
            },
            "normal": {kind: round(share, 6) for kind, share in self.normal.items()},
            "games": self.games,
            "origin": self.provenance.parameters,
        }
        Path(path).write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")

    @classmethod
    def load(cls, path: str | Path) -> WinningModel:
        """Read what `save` wrote; names that this version does not know are an error."""
        try:
            document = json.loads(Path(path).read_text(encoding="utf-8"))
        except FileNotFoundError:
            raise LudometerError(f"{path}: no such file") from None
        except OSError as error:
            raise LudometerError(f"{path}: cannot be read ({error.strerror})") from error
        except (ValueError, RecursionError) as error:
            raise LudometerError(f"{path}: not a winning model: {error}") from error
        if not isinstance(document, dict) or document.get("format") != FORMAT:
            raise LudometerError(f"{path} is not a file of the form {FORMAT!r}")
        try:
            return cls(
                _part(document, "suit", path),
                _part(document, "grand", path),
                _part(document, "null", path),
                normal={str(kind): float(share) for kind, share in document["normal"].items()},
                games={str(kind): int(count) for kind, count in document["games"].items()},
                provenance=Provenance("winning model", dict(document.get("origin", {}))),
            )
        except (AttributeError, KeyError, OverflowError, TypeError, ValueError) as error:
            raise LudometerError(
                f"{path}: the winning model is damaged; write it anew with ludometer skat fit"
            ) from error


def default_model() -> WinningModel:
    """The model that comes with the program, fitted on games of xskat (scripts/make_skat_model.py).

    >>> model = default_model()
    >>> from ludometer.skat.rules.cards import parse_cards
    >>> hands = [parse_cards("CJ SJ CA CT CK C9 SA ST HA D7"), parse_cards("DJ C9 C8 C7 CQ SK SQ HK DQ D9")]
    >>> strong, weak = model.predict(DeclaredGames.of([0, 0], hands, [parse_cards("HT DT")] * 2))
    >>> bool(strong > 0.95), bool(weak < 0.2)
    (True, True)
    """
    return WinningModel.load(Path(__file__).with_name("winning.json"))


def fit_winning(
    games: DeclaredGames, won: ArrayLike, *, ridge: float = 1.0, origin: dict[str, Any] | None = None
) -> WinningModel:
    """Fit on records of games: maximum likelihood with `ridge` on the standardised slopes, by Newton's method."""
    result = np.asarray(won, bool)
    if len(result) != len(games):
        raise LudometerError(f"{len(games)} games, but {len(result)} results")
    kind = games.kind
    parts: dict[str, Coefficients | None] = {}
    trump: tuple[tuple[str, int, Callable[[DeclaredGames], Floats], tuple[str, ...]], ...] = (
        ("suit", SUIT_KIND, describe_suit_games, TRUMP_FEATURES),
        ("grand", GRAND_KIND, describe_grands, GRAND_FEATURES),
    )
    for name, code, describe, names in trump:
        rows = kind == code
        parts[name] = None
        if _enough(result[rows]):
            values = fit_logistic(describe(games.where(rows)), result[rows], ridge=ridge)
            parts[name] = Coefficients(("constant", *names), tuple(values.tolist()))
    rows = kind >= NULL_KIND
    null = None
    if _enough(result[rows]):
        null = Coefficients(NULL_NAMES, tuple(_fit_null(games.where(rows), result[rows], ridge).tolist()))
    counts = np.bincount(kind, minlength=len(KINDS))
    shares = np.bincount(kind, result, len(KINDS)) / np.maximum(counts, 1)
    return WinningModel(
        parts["suit"],
        parts["grand"],
        null,
        normal={name: float(share) for name, share, n in zip(KINDS, shares, counts, strict=True) if n},
        games={name: int(n) for name, n in zip(KINDS, counts, strict=True) if n},
        provenance=Provenance("winning model", {"ridge": ridge, **(origin or {})}),
    )


def fit_logistic(features: Floats, won: Array, *, ridge: float = 1.0) -> Floats:
    """Constant and slopes that maximise the likelihood less ridge / 2 times the squared standardised slopes.

    >>> x = np.repeat([[0.0], [1.0]], 100, axis=0)
    >>> won = np.r_[np.arange(100) < 50, np.arange(100) < 75]
    >>> fit_logistic(x, won, ridge=0).round(4).tolist()
    [0.0, 1.0986]
    """
    centre, spread = features.mean(axis=0), features.std(axis=0)
    # a feature without variety gets the slope 0
    scale = np.where(spread > 1e-9, spread, 1.0)
    design = np.column_stack((np.ones(len(features)), (features - centre) / scale))
    penalty = np.full(design.shape[1], float(ridge))
    penalty[0] = 0.0
    penalty[1:][spread <= 1e-9] = 1.0
    beta = np.zeros(design.shape[1])
    value = _penalised(design, won, beta, penalty)
    for _ in range(_STEPS):
        chance = _logistic(design @ beta)
        gradient = design.T @ (won - chance) - penalty * beta
        curvature = (design.T * (chance * (1 - chance))) @ design + np.diag(penalty)
        step = np.linalg.solve(curvature, gradient)
        share = 1.0
        while (new := _penalised(design, won, beta + share * step, penalty)) < value - 1e-12 * abs(value):
            share /= 2
            if share < 1e-8:
                raise NoFiniteFit("the logistic fit found no better step; try a larger ridge")
        beta, value = beta + share * step, new
        if float(gradient @ step) < 1e-10 * len(features):
            if np.abs(beta[1:]).max(initial=0) > _STEEPEST:
                break
            slopes = beta[1:] / scale
            return np.concatenate(([beta[0] - slopes @ centre], slopes))
    raise NoFiniteFit("the logistic fit does not settle: some feature separates won from lost games; use a ridge")


def _penalised(design: Floats, won: Array, beta: Floats, penalty: Floats) -> float:
    signed = np.where(won, 1.0, -1.0) * (design @ beta)
    return float(-np.logaddexp(0, -signed).sum() - 0.5 * (penalty * beta**2).sum())


def _fit_null(games: DeclaredGames, won: Array, ridge: float) -> Floats:
    """The product over suits by a quasi-Newton method; the constant of a held suit is free of the ridge."""
    from scipy.optimize import minimize

    features, held = _describe_null(games)
    flat = features[held]
    scale = np.where(flat.std(axis=0) > 1e-9, flat.std(axis=0), 1.0)
    penalty = np.full(len(scale), float(ridge))
    penalty[0] = 1e-3 * ridge

    def loss(beta: Floats) -> tuple[float, Floats]:
        eta = (features / scale) @ beta
        log_chance = np.where(held, -np.logaddexp(0, -eta), 0.0).sum(axis=1)
        log_failure = np.log(-np.expm1(np.minimum(log_chance, -1e-12)))
        weight = np.where(won, 1.0, -np.exp(np.minimum(log_chance - log_failure, 30.0)))
        slope = np.where(held, 1 - _logistic(eta), 0.0) * weight[:, None]
        gradient = np.einsum("gs,gsf->f", slope, features / scale) - penalty * beta
        value = np.where(won, log_chance, log_failure).sum() - 0.5 * (penalty * beta**2).sum()
        return -float(value), -gradient

    start = np.zeros(len(scale))
    start[0] = 3.0
    found = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": 500})
    return np.asarray(found.x / scale, float)


def _describe_null(games: DeclaredGames) -> tuple[Floats, Array]:
    """Features of each suit (games, 4, features), and whether the suit is held."""
    suits = describe_null_suits(games)
    held = suits[:, :, 0] > 0
    whole = np.column_stack((games.position == 0, games.hand_game, games.ouvert)).astype(float)
    return np.concatenate((suits, np.repeat(whole[:, None, :], 4, axis=1) * held[:, :, None]), axis=2), held


def _part(document: dict[str, Any], name: str, path: str | Path) -> Coefficients | None:
    known = {"suit": ("constant", *TRUMP_FEATURES), "grand": ("constant", *GRAND_FEATURES), "null": NULL_NAMES}[name]
    part = document.get(name)
    if part is None:
        return None
    if set(part) != set(known):
        odd = sorted(set(part) ^ set(known))
        raise LudometerError(f"{path}: the features of {name} are not those of this version: {', '.join(odd)}")
    values = tuple(float(part[feature]) for feature in known)
    if not all(abs(value) < _LARGEST for value in values):
        raise ValueError("a coefficient is out of reach")
    return Coefficients(known, values)


_LARGEST = 1e6
"""Of a coefficient: beyond it a hand's chance is 0 or 1 whatever the cards are."""


def _enough(won: Array) -> bool:
    return len(won) >= _FEWEST and 0 < int(won.sum()) < len(won)


def _logistic(x: Floats) -> Floats:
    from scipy.special import expit

    return np.asarray(expit(x))
