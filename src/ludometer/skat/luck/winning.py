"""The declarer's chance to win: logistic models by kind of game, fitted on records and checked on games held out.

Trump games: P = 1 / (1 + exp(-(a + b x))). Null: the product over the suits held, P = prod 1 / (1 + exp(-b x_suit)).
A model keeps the shares of games won in the records it was fitted on (`normal`): hands are compared only with hands of
the same population.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from ludometer.arrays import Array, Codes, Counts, Floats
from ludometer.chart_style import ACCENT, INK
from ludometer.errors import LudometerError, NoFiniteFit
from ludometer.result import Provenance, Shown
from ludometer.skat.language import Language, localise, phrase
from ludometer.skat.luck.factors import declared_games
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

    import polars as pl

_BINS = 10


@dataclass(frozen=True, eq=False)
class Quality:
    """One kind of game: the log loss of the model and of the mean alone, and the area under the ROC curve."""

    kind: str
    games: int
    won: float
    log_loss: float
    base_log_loss: float
    auc: float


@dataclass(frozen=True, eq=False)
class Calibration(Shown):
    """Predicted and observed shares of games won in groups of equal size, and the quality by kind."""

    quality: tuple[Quality, ...]
    kind: tuple[str, ...]
    predicted: Floats
    observed: Floats
    std_error: Floats
    games: Counts
    provenance: Provenance = field(default_factory=lambda: Provenance("calibration"))

    def to_frame(self) -> pl.DataFrame:
        """One row per group: kind, games, predicted, observed, std_error."""
        import polars as pl

        columns = {name: getattr(self, name) for name in ("games", "predicted", "observed", "std_error")}
        return pl.DataFrame({"kind": list(self.kind), **columns})

    def summary(self) -> str:
        """One line per kind."""
        head = f"{'':18}{'games':>9}{'won':>8}{'log loss':>10}{'of mean':>9}{'AUC':>7}"
        lines = [
            f"{q.kind:18}{q.games:>9,}{q.won:>8.3f}{q.log_loss:>10.3f}{q.base_log_loss:>9.3f}{q.auc:>7.3f}"
            for q in self.quality
        ]
        return "\n".join((head, *lines))

    def document(self) -> dict[str, Any]:
        """Quality by kind of game, and the groups."""
        quality = [vars(row) for row in self.quality]
        odd = any(not math.isfinite(value) for row in quality for value in row.values() if isinstance(value, float))
        return {
            "quality": [{name: _finite(value) for name, value in row.items()} for row in quality],
            "calibration": [
                {name: _finite(value) for name, value in row.items()} for row in self.to_frame().to_dicts()
            ],
            "absent": {"quality.auc": "all games of a kind were won, or all lost"} if odd else {},
        }

    def charts(self, *, narrow: bool = False, language: Language = "en") -> dict[str, Any]:
        """Observed against predicted with two standard errors, one panel per kind; the diagonal is ideal."""
        import altair as alt

        rows = [
            row
            | {
                "kind": phrase(row["kind"], language),
                "low": max(row["observed"] - 2 * row["std_error"], 0),
                "high": min(row["observed"] + 2 * row["std_error"], 1),
                "least": 0,
                "most": 1,
            }
            for row in self.to_frame().to_dicts()
        ]
        scale, size = alt.Scale(domain=[0, 1]), 200 if narrow else 150
        x = alt.X("predicted:Q", title=phrase("predicted", language), scale=scale, axis=alt.Axis(values=[0, 0.5, 1]))
        y = alt.Y("low:Q", title=phrase("observed", language), scale=scale)
        points = alt.Chart().mark_circle(size=40, color=INK, opacity=1).encode(x=x, y=alt.Y("observed:Q", scale=scale))
        bars = alt.Chart().mark_rule(color=INK).encode(x=x, y=y, y2="high:Q")
        diagonal = (
            alt.Chart()
            .mark_rule(strokeDash=[4, 4], color=ACCENT)
            .encode(x=alt.X("least:Q", scale=scale), y=alt.Y("least:Q"), x2="most:Q", y2="most:Q")
        )
        order = [phrase(quality.kind, language) for quality in self.quality]
        facet = alt.Facet("kind:N", title=None, sort=order, header=alt.Header(labelFontSize=13))
        layers = alt.layer(diagonal, bars, points).properties(width=size, height=size)
        whole = layers.properties(data=alt.InlineData(values=rows))
        return {"calibration": whole.facet(facet, columns=1 if narrow else 3)}


def calibrate(chance: Floats, won: Array, kind: Codes) -> Calibration:
    """Compare chances with results; games whose chance is NaN are left out.

    >>> chance = np.repeat([0.25, 0.75], 100)
    >>> won = np.r_[np.arange(100) < 25, np.arange(100) < 75]
    >>> result = calibrate(chance, won, np.zeros(200, np.int32))
    >>> round(result.quality[0].log_loss, 4), result.quality[0].auc
    (0.5623, 0.75)
    """
    quality: list[Quality] = []
    names: list[str] = []
    rows: list[tuple[float, float, float, int]] = []
    for code, name in enumerate(KINDS):
        chosen = (kind == code) & ~np.isnan(chance)
        if not chosen.any():
            continue
        p, w = chance[chosen], np.asarray(won)[chosen].astype(float)
        mean = w.mean()
        quality.append(
            Quality(name, len(w), float(mean), _log_loss(p, w), _log_loss(np.full(len(w), mean), w), _auc(p, w))
        )
        order = np.argsort(p, kind="stable")
        for group in np.array_split(order, min(_BINS, max(1, len(order) // 10))):
            error = np.sqrt((p[group] * (1 - p[group])).sum()) / len(group)
            rows.append((float(p[group].mean()), float(w[group].mean()), float(error), len(group)))
            names.append(name)
    predicted, observed, error, games = (np.array(column) for column in zip(*rows, strict=True))
    return Calibration(tuple(quality), tuple(names), predicted, observed, error, games)


def _finite(value: Any) -> Any:
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _log_loss(p: Floats, won: Floats) -> float:
    p = np.clip(p, 1e-12, 1 - 1e-12)
    return float(-np.mean(won * np.log(p) + (1 - won) * np.log1p(-p)))


def _auc(p: Floats, won: Floats) -> float:
    """The chance that a game won had the higher prediction than a game lost; ties count half."""
    from scipy.stats import rankdata

    n_won = won.sum()
    n_lost = len(won) - n_won
    if not n_won or not n_lost:
        return float("nan")
    return float((rankdata(p)[won > 0].sum() - n_won * (n_won + 1) / 2) / (n_won * n_lost))


FORMAT = "ludometer skat winning model 1"
NULL_NAMES = (*NULL_FEATURES, "forehand", "hand game", "ouvert")
_FEWEST = 50
"""Fewer games of a kind give no model of it."""

_STEPS = 100
_STEEPEST = 30.0
"""A slope of this many log odds per standard deviation has no finite fit."""


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
            raise LudometerError(f"{path}: not a winning model (its format must be {FORMAT!r})")
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
                f"{path}: the winning model is damaged; write it again with ludometer skat fit"
            ) from error


def default_model() -> WinningModel:
    """The bundled model, fitted on games of xskat (scripts/make_skat_model.py).

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
    raise NoFiniteFit("the logistic fit does not converge: some feature separates won from lost games; use a ridge")


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
"""A larger coefficient would make every chance 0 or 1."""


def _enough(won: Array) -> bool:
    return len(won) >= _FEWEST and 0 < int(won.sum()) < len(won)


def _logistic(x: Floats) -> Floats:
    from scipy.special import expit

    return np.asarray(expit(x))


_FEWEST_IN_ALL = 100


@dataclass(frozen=True, eq=False)
class FittedModel(Shown):
    """The model of all games, and the check of one that was fitted without the games held out."""

    model: WinningModel
    check: Calibration
    held_out: int
    provenance: Provenance

    def to_frame(self) -> pl.DataFrame:
        """The calibration by groups."""
        return self.check.to_frame()

    def summary(self, language: Language = "en") -> str:
        """How many games, and the quality by kind of game."""
        from ludometer.skat.report.tables import quality_table, show

        games = localise(f"{sum(self.model.games.values()):,}", language)
        lead = phrase("fitted on", language, n=games, aside=localise(f"{self.held_out:,}", language))
        return f"{lead}\n{show(quality_table(self.check, language), left=(0,))}"

    def charts(self, *, narrow: bool = False, language: Language = "en") -> dict[str, Any]:
        """The calibration."""
        return self.check.charts(narrow=narrow, language=language)

    def document(self) -> dict[str, Any]:
        """What the model was fitted on, and how good one like it is on games that it had not seen."""
        model, check = self.model, self.check.document()
        parts = {name: getattr(model, name) for name in ("suit", "grand", "null")}
        absent = {f"parts.{name}": "too few games" for name, part in parts.items() if part is None}
        return {
            "games": model.games,
            "normal": model.normal,
            "parts": {
                name: None if part is None else dict(zip(part.names, part.values, strict=True))
                for name, part in parts.items()
            },
            "held_out": self.held_out,
            **check,
            "absent": absent | check["absent"] | {"provenance.data": "games are not matches"},
        }


def fit_on_records(
    records: pl.DataFrame, *, ridge: float = 1.0, share: float = 0.1, seed: int = 0, source: str | None = None
) -> FittedModel:
    """Fit on all games with known cards, after checking a fit that leaves out this share of them."""
    games, rows = declared_games(records)
    if len(games) < _FEWEST_IN_ALL:
        raise LudometerError(
            f"{len(games)} games with known cards are too few for a winning model: {_FEWEST_IN_ALL} are needed"
        )
    won = records["won"].fill_null(False).to_numpy()[rows]
    aside = np.random.default_rng(seed).random(len(games)) < share
    part = fit_winning(games.where(~aside), won[~aside], ridge=ridge)
    if not any((part.suit, part.grand, part.null)):
        raise LudometerError("no kind of game has 50 games with some won and some lost: more records are needed")
    check = part.check(games.where(aside), won[aside])
    origin = {} if source is None else {"source": source}
    model = fit_winning(games, won, ridge=ridge, origin=origin)
    return FittedModel(model, check, int(aside.sum()), Provenance("winning model", {"ridge": ridge}, seed=seed))
