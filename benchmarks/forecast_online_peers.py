"""Peers that go match by match: riix, openskill, trueskill, glicko2, elommr.

Each is used as its documentation shows. Whoever cannot use time steps once a match; who can is told the days.
"""

from __future__ import annotations

import importlib
import math
from functools import cache, partial
from typing import Any

import numpy as np

from forecast_peer import COLD, Knob, Peer, Values
from forecast_records import Record
from ludometer.arrays import Floats

SMALL, MIDDLE, LARGE = 70_000, 800_000, 3_000_000
"""Matches of the largest record for packages in plain Python, for the slower systems of riix, and for all."""

SECONDS_A_DAY = 86_400.0


def forecast_riix(record: Record, values: Values, start: int, *, module: str, name: str, **fixed: Any) -> Floats:
    """One of riix's systems, in days; blocks in which nobody plays twice give what one match after another gives."""
    kind: Any = getattr(importlib.import_module(f"riix.models.{module}"), name)
    model = kind(list(range(record.players)), **fixed, **values)
    matchups = np.column_stack((record.first, record.second))
    step = record.day.astype(np.int64)
    expected = np.empty(len(record))
    for begin, end in record.blocks():
        cut = slice(begin, end)
        expected[cut] = model.fit_batch(
            matchups[cut], record.score[cut], time_step=int(step[begin]), return_pre_match_probs=True
        )
    return expected[start:]


def glicko_loss(record: Record, values: Values) -> float:
    """Log loss of Glicko within a record, compiled, for the search alone: riix itself would take hours on chess.

    It is riix's Glicko but for the deviations in forecasts, which here grow until the day of the match and there until
    the last day before it on which anybody played.
    """
    start = round(COLD * len(record))
    expected = _glicko_pass()(
        record.first, record.second, record.score, record.day, record.players, values["initial_rating_dev"], values["c"]
    )
    return float(record.part(start, len(record)).log_loss(expected[start:]).mean())


@cache
def _glicko_pass() -> Any:
    import numba

    q = math.log(10) / 400
    damping = 3 * (q / math.pi) ** 2

    def run(first: Any, second: Any, score: Any, day: Any, players: int, most: float, c: float) -> Any:
        rating, variance, last = np.zeros(players), np.full(players, most * most), np.full(players, -1.0)
        expected = np.empty(len(first))
        for match in range(len(first)):
            i, j = first[match], second[match]
            for who in (i, j):
                if last[who] >= 0:
                    variance[who] = min(variance[who] + c * c * (day[match] - last[who]), most * most)
                last[who] = day[match]
            gap = q * (rating[i] - rating[j])
            expected[match] = 1 / (1 + np.exp(-gap / np.sqrt(1 + damping * (variance[i] + variance[j]))))
            one, other = 1 / np.sqrt(1 + damping * variance[j]), 1 / np.sqrt(1 + damping * variance[i])
            p, r = 1 / (1 + np.exp(-one * gap)), 1 / (1 + np.exp(-other * gap))
            variance[i] = 1 / (1 / variance[i] + q * q * one * one * p * (1 - p))
            variance[j] = 1 / (1 / variance[j] + q * q * other * other * r * (1 - r))
            rating[i] += q * one * variance[i] * (score[match] - p)
            rating[j] -= q * other * variance[j] * (score[match] - r)
        return expected

    return numba.njit(run)


def forecast_openskill(record: Record, values: Values, start: int, *, name: str) -> Floats:
    """rate and predict_win of one of its models; equal ranks are a draw."""
    model: Any = getattr(importlib.import_module("openskill.models"), name)(**values)
    player = [model.rating() for _ in range(record.players)]
    expected = np.empty(len(record))
    ranks = {1.0: [1, 2], 0.5: [1, 1], 0.0: [2, 1]}
    for match, (i, j, score) in enumerate(_results(record)):
        teams = [[player[i]], [player[j]]]
        expected[match] = model.predict_win(teams)[0]
        (player[i],), (player[j],) = model.rate(teams, ranks=ranks[score])
    return expected[start:]


def forecast_trueskill(record: Record, values: Values, start: int) -> Floats:
    """rate_1vs1; the forecast is the chance to win and half the chance to draw, by its draw margin."""
    from scipy.special import ndtr

    trueskill: Any = importlib.import_module("trueskill")
    environment = trueskill.TrueSkill(mu=0.0, beta=1.0, **values)
    margin = trueskill.calc_draw_margin(values.get("draw_probability", 0.0), 2, env=environment)
    player = [environment.create_rating() for _ in range(record.players)]
    place = np.empty((len(record), 2))
    for match, (i, j, score) in enumerate(_results(record)):
        one, other = player[i], player[j]
        spread = math.sqrt(2.0 + one.sigma**2 + other.sigma**2)
        place[match] = (one.mu - other.mu + margin) / spread, (one.mu - other.mu - margin) / spread
        if score == 0.0:
            player[j], player[i] = trueskill.rate_1vs1(other, one, env=environment)
        else:
            player[i], player[j] = trueskill.rate_1vs1(one, other, drawn=score == 0.5, env=environment)
    forecast: Floats = ndtr(place[start:]).mean(axis=1)
    return forecast


def forecast_glicko2(record: Record, values: Values, start: int) -> Floats:
    """A period per match; before it, as many periods without a match as the days since the last one hold."""
    glicko2: Any = importlib.import_module("glicko2")
    player = [glicko2.Player(rd=values["rd"], vol=values["vol"]) for _ in range(record.players)]
    for one in player:
        one._tau = values["tau"]
    last = np.full(record.players, np.nan).tolist()
    days = record.day.tolist()
    expected = np.empty(len(record))
    for match, (i, j, score) in enumerate(_results(record)):
        for who in (i, j):
            _wait(player[who], (days[match] - last[who]) / values["days"], values["rd"])
            last[who] = days[match]
        one, other = player[i], player[j]
        ratings, deviations = (one.rating, other.rating), (one.rd, other.rd)
        scale = math.log(10) / 400
        damping = 1 / math.sqrt(1 + 3 * scale**2 * (deviations[0] ** 2 + deviations[1] ** 2) / math.pi**2)
        expected[match] = 1 / (1 + math.exp(-scale * damping * (ratings[0] - ratings[1])))
        one.update_player([ratings[1]], [deviations[1]], [score])
        other.update_player([ratings[0]], [deviations[0]], [1 - score])
    return expected[start:]


def _wait(player: Any, periods: float, most: float) -> None:
    if math.isnan(periods):
        return
    for _ in range(int(periods)):
        if player.rd >= most:
            break
        player.did_not_compete()


def forecast_elommr(record: Record, values: Values, start: int) -> Floats:
    """round_update with the time in seconds, ties split; the package has no forecast: logistic with all the noise."""
    elommr: Any = importlib.import_module("elommr")
    rating: Any = importlib.import_module("elommr.elommr").Rating
    model = elommr.EloMMR(
        split_ties=True,
        drift_per_sec=values["drift"] ** 2 / SECONDS_A_DAY,
        weight_limit=values["weight"],
        sig_limit=values["limit"],
        max_history=5,
    )
    player = [
        elommr.Player(
            _normal_factor=rating(mu=1500.0, sig=values["start"]),
            approx_posterior=rating(mu=1500.0, sig=values["start"]),
        )
        for _ in range(record.players)
    ]
    noise = 2 * model.sig_perf_and_drift(1.0, 0)[0] ** 2
    seconds = (record.day * SECONDS_A_DAY).tolist()
    expected = np.empty(len(record))
    for match, (i, j, score) in enumerate(_results(record)):
        one, other = player[i].approx_posterior, player[j].approx_posterior
        sd = math.sqrt(noise + one.sig**2 + other.sig**2)
        expected[match] = 1 / (1 + math.exp(-math.pi / math.sqrt(3) * (one.mu - other.mu) / sd))
        order = (i, j) if score >= 0.5 else (j, i)
        places = ((0, 1), (0, 1)) if score == 0.5 else ((0, 0), (1, 1))
        model.round_update([(player[who], *place) for who, place in zip(order, places, strict=True)], seconds[match])
    return expected[start:]


def _results(record: Record) -> Any:
    return zip(record.first.tolist(), record.second.tolist(), record.score.tolist(), strict=True)


def _riix(label: str, module: str, name: str, *knobs: Knob, **about: Any) -> Peer:
    play = partial(forecast_riix, module=module, name=name, **about.pop("fixed", {}))
    return Peer("riix", f"riix {label}", "riix", play, knobs, **{"tuned_on": 100_000, **about})


def _openskill(label: str, name: str) -> Peer:
    knobs = (Knob("sigma", 25 / 3, 0.5, 40.0), Knob("tau", 25 / 300, 0.003, 3.0), Knob("beta", 25 / 6, 0.5, 20.0))
    play = partial(forecast_openskill, name=name)
    return Peer("openskill", f"openskill {label}", "openskill", play, knobs, most=SMALL, tuned_on=SMALL)


ONLINE = (
    _riix("Elo", "elo", "Elo", Knob("k", 32.0, 1.0, 200.0), evaluations=16, tuned_on=LARGE),
    _riix(
        "Glicko",
        "glicko",
        "Glicko",
        Knob("initial_rating_dev", 350.0, 30.0, 700.0),
        Knob("c", 5.0, 0.1, 80.0),
        objective=glicko_loss,
        tuned_on=LARGE,
        remark="by a compiled twin",
    ),
    _riix(
        "Glicko-2",
        "glicko2",
        "Glicko2",
        Knob("initial_rd", 350.0, 30.0, 700.0),
        Knob("initial_sigma", 0.03, 0.001, 0.3),
        Knob("tau", 0.3, 0.01, 1.5),
        most=MIDDLE,
    ),
    _riix(
        "TrueSkill",
        "trueskill",
        "TrueSkill",
        Knob("initial_sigma", 8.333, 0.5, 40.0),
        Knob("tau", 0.0833, 0.003, 3.0),
        Knob("draw_probability", 0.2, 0.001, 0.6),
        most=MIDDLE,
    ),
    _riix(
        "Weng-Lin",
        "weng_lin",
        "WengLin",
        Knob("initial_sigma", 8.333, 0.5, 40.0),
        Knob("tau", 0.0833, 0.003, 3.0),
        Knob("beta", 4.166, 0.5, 20.0),
        most=MIDDLE,
        fixed={"model": "bt"},
    ),
    _riix(
        "Kalman filter",
        "skf",
        "VSKF",
        Knob("v_0", 1.0, 0.01, 20.0),
        Knob("epsilon", 1e-3, 1e-6, 0.1),
        Knob("s", 1.0, 0.2, 5.0),
        most=MIDDLE,
    ),
    _openskill("Plackett-Luce", "PlackettLuce"),
    _openskill("Thurstone-Mosteller", "ThurstoneMostellerFull"),
    Peer(
        "trueskill",
        "TrueSkill of trueskill",
        "trueskill",
        forecast_trueskill,
        (Knob("sigma", 2.0, 0.1, 8.0), Knob("tau", 0.05, 0.001, 1.0), Knob("draw_probability", 0.2, 0.001, 0.6)),
        most=SMALL,
        tuned_on=12_000,
    ),
    Peer(
        "glicko2",
        "Glicko-2 of glicko2",
        "glicko2",
        forecast_glicko2,
        (
            Knob("rd", 350.0, 30.0, 700.0),
            Knob("vol", 0.06, 0.003, 0.5),
            Knob("tau", 0.5, 0.05, 1.5),
            Knob("days", 30.0, 7.0, 400.0),
        ),
        most=SMALL,
        tuned_on=30_000,
    ),
    Peer(
        "elommr",
        "Elo-MMR of elommr",
        "elommr",
        forecast_elommr,
        (
            Knob("start", 350.0, 30.0, 700.0),
            Knob("limit", 80.0, 5.0, 300.0),
            Knob("weight", 0.2, 0.01, 2.0),
            Knob("drift", 3.0, 0.05, 40.0),
        ),
        most=SMALL,
        tuned_on=12_000,
    ),
)
