"""Strengths over all time: against dense Gaussian-process algebra and the static fit, on known truth, on bad cases."""

from __future__ import annotations

import math

import numpy as np
import polars as pl
import pytest

from ludometer.arrays import Floats
from ludometer.errors import LudometerError
from ludometer.matches import Matches
from ludometer.parallel import Workers
from ludometer.ratings.state_space.history import rate_history
from ludometer.ratings.state_space.parameters import YEAR, Parameters
from ludometer.ratings.state_space.smoother import Mode, Smoother, Timeline, Tree
from ludometer.ratings.state_space.system import FittedStateSpace
from ludometer.scale import from_elo, to_elo
from ludometer.strength.comparisons import gather
from ludometer.strength.expected import Posterior, Record, find_mode
from ludometer.strength.priors import NormalPrior

FULL = Parameters(
    spread=250,
    drift=80,
    match_drift=5,
    advantage=40,
    entry_drift=50,
    pairing=0.4,
    pairing_new=2,
    pairing_matches=5,
    learning=30,
    learning_matches=3,
    young_drift=2,
    young_matches=6,
    activity=15,
    activity_days=40,
    rust=30,
)
"""Every ingredient of the smoother on."""


def simulate(*, n_players: int = 8, n_matches: int = 60, days: int = 1500, seed: int = 0) -> Matches:
    """A small untidy record: unbalanced, with equal times, draws and weights."""
    rng = np.random.default_rng(seed)
    share = rng.dirichlet(np.full(n_players, 0.7)) * 0.9 + 0.1 / n_players
    pairs = np.array([rng.choice(n_players, 2, replace=False, p=share) for _ in range(n_matches)])
    return Matches.of_pairs(
        pairs[:, 0],
        pairs[:, 1],
        rng.choice([0, 0.5, 1], n_matches),
        time=np.sort(rng.integers(0, days, n_matches)),
        advantage=rng.integers(-1, 2, n_matches).astype(np.int8),
        weight=rng.uniform(0.5, 2, n_matches),
    )


def smooth(matches: Matches, parameters: Parameters) -> tuple[Smoother, Mode]:
    smoother = Smoother(matches, Timeline.of(matches), parameters)
    return smoother, smoother.find_most_likely()


class Dense:
    """The same model in plain algebra: players' days in a dict, a covariance matrix, Newton's steps with inverses."""

    def __init__(self, matches: Matches, p: Parameters, *, n_levels: int = 1, width: float = 0.0) -> None:
        self.p, self.matches = p, matches
        assert matches.time is not None
        day = matches.time.astype(float)
        pairs = matches.pairs
        self.node: dict[tuple[int, float], int] = {}
        for player in range(len(matches.players)):
            own = sorted(set(day[(pairs.first == player) | (pairs.second == player)].tolist()))
            for time in own:
                self.node[player, time] = len(self.node)
        n = len(self.node)
        self.mean, self.before, self.offset = np.zeros((3, n))
        self.first = np.array([self.node[i, t] for i, t in zip(pairs.first.tolist(), day.tolist(), strict=True)])
        self.second = np.array([self.node[i, t] for i, t in zip(pairs.second.tolist(), day.tolist(), strict=True)])
        played = np.bincount(np.concatenate((self.first, self.second)), minlength=n)
        # strength = sum of independent steps: row k of `paths` says which
        paths, variance = np.zeros((n, n + n_levels)), np.zeros(n + n_levels)
        variance[n + 1 :] = from_elo(p.entry_drift) ** 2 / YEAR * width
        start = min(time for _, time in self.node)
        for (player, time), k in self.node.items():
            earlier = [(t, other) for (i, t), other in self.node.items() if i == player and t < time]
            self.before[k] = sum(played[other] for _, other in earlier)
            recent = sum(played[other] * math.exp(-(time - t) / p.activity_days) for t, other in earlier)
            self.offset[k] = from_elo(p.learning) * math.log2(
                (p.learning_matches + self.before[k]) / p.learning_matches
            )
            self.offset[k] += from_elo(p.activity) * math.log2(1 + recent)
            paths[k, k] = 1
            if earlier:
                t, other = max(earlier)
                young = 1 + p.young_drift * math.exp(-self.before[k] / p.young_matches)
                variance[k] = (
                    from_elo(p.drift) ** 2 / YEAR * (time - t) * young + from_elo(p.match_drift) ** 2 * played[other]
                )
                paths[k] += paths[other]
                self.mean[k] = self.mean[other] - from_elo(p.rust) * (1 - math.exp(-(time - t) / YEAR))
            else:
                variance[k] = from_elo(p.spread) ** 2 + from_elo(p.match_drift) ** 2
                level = int((time - start) / width) if width else 0
                paths[k, n : n + 1 + level] = 1
                self.mean[k] = 0.0
        self.prior = paths @ np.diag(variance) @ paths.T

    def fit(self) -> tuple[Floats, Floats]:
        """The mode and the covariance."""
        p, matches, n = self.p, self.matches, len(self.node)
        rows = np.arange(len(matches))
        design = np.zeros((len(matches), n))
        design[rows, self.first], design[rows, self.second] = 1, -1
        shift = design @ self.offset + from_elo(p.advantage) * matches.advantages
        weight = np.ones(len(matches)) if matches.weight is None else matches.weight
        new = np.exp(-self.before / p.pairing_matches)
        alike = 0.25 * p.pairing * (1 + p.pairing_new * np.abs(design) @ new)
        x = self.mean.copy()
        for _ in range(15):
            apart = design @ x
            e = 1 / (1 + np.exp(-(apart + shift)))
            curvature = np.diag(weight * e * (1 - e) + alike)
            slope = design.T @ (weight * (matches.pairs.score - e) - alike * apart)
            covariance = np.linalg.inv(np.eye(n) + self.prior @ design.T @ curvature @ design) @ self.prior
            step = covariance @ (slope + design.T @ curvature @ apart - design.T @ curvature @ design @ self.mean)
            x = self.mean + step
        return x, covariance


@pytest.mark.parametrize("seed", range(3))
def test_history_equals_dense_algebra(seed: int) -> None:
    parameters = FULL
    matches = simulate(seed=seed)
    smoother, mode = smooth(matches, parameters)
    tree = smoother.tree
    assert mode.converged
    assert tree.n_levels > 3
    first = smoother.timeline.day[smoother.timeline.is_first]
    dense = Dense(matches, parameters, n_levels=tree.n_levels, width=max(YEAR / 12, np.ptp(first) / 239))
    x, covariance = dense.fit()
    assert mode.strength[tree.n_levels :] == pytest.approx(x, abs=1e-6)
    bands = smoother.find_bands(mode)
    assert bands.variance == pytest.approx(np.diag(covariance), abs=1e-6)
    inner = np.flatnonzero(~smoother.timeline.is_first)
    assert bands.link[inner] == pytest.approx(covariance[inner, inner - 1], abs=1e-6)
    anchor = np.random.default_rng(0).random(len(x))
    around = np.eye(len(x)) - anchor / anchor.sum()
    anchored = around @ covariance @ around.T
    bands = smoother.find_bands(mode, anchor=anchor)
    assert bands.variance == pytest.approx(np.diag(anchored), abs=1e-6)
    assert bands.link[inner] == pytest.approx(anchored[inner, inner - 1], abs=1e-6)


def test_without_drift_the_mode_is_that_of_the_static_fit() -> None:
    rng = np.random.default_rng(5)
    first = rng.integers(0, 30, 400)
    second = (first + rng.integers(1, 30, 400)) % 30
    matches = Matches.of_pairs(first, second, rng.choice([0, 0.5, 1], 400), time=np.sort(rng.integers(0, 300, 400)))
    posterior = Posterior(Record.of(gather(matches)), NormalPrior(0, 250), matches.counts > 0)
    static = find_mode(posterior, np.zeros(30)).x
    smoother, mode = smooth(matches, Parameters(spread=250, drift=0))
    strength = mode.strength[smoother.tree.n_levels :]
    assert to_elo(strength) == pytest.approx(to_elo(static[smoother.timeline.player]), abs=1e-6)
    # and the errors are those of the curvature of the static fit
    posterior.evaluate(static)
    covariance = np.linalg.inv(np.column_stack([posterior.multiply(column).copy() for column in np.eye(30)]))
    bands = smoother.find_bands(mode)
    assert bands.variance == pytest.approx(covariance.diagonal()[smoother.timeline.player], rel=1e-6)


@pytest.mark.parametrize("anchored", [True, False])
def test_draws_give_the_exact_errors_on_average(monkeypatch: pytest.MonkeyPatch, anchored: bool) -> None:
    matches = simulate(n_players=12, n_matches=150, seed=3)
    smoother, mode = smooth(matches, FULL)
    anchor = smoother.timeline.played.astype(float) if anchored else None
    exact = smoother.find_bands(mode, anchor=anchor)
    monkeypatch.setattr("ludometer.ratings.state_space.smoother._EXACT", 0)
    drawn = smoother.find_bands(mode, anchor=anchor, n_draws=4096)
    # the opponents' part has the error of 4096 squares, and is about a third of the whole
    assert drawn.variance == pytest.approx(exact.variance, rel=0.04)
    assert drawn.link == pytest.approx(exact.link, rel=0.06, abs=0.01)
    assert (drawn.variance / exact.variance).mean() == pytest.approx(1, abs=0.005)
    # peaks are drawn from the same posterior: of a player with one time, that of the only node
    lone = np.flatnonzero(np.diff(smoother.timeline.chain) == 1)
    for player in lone:
        node = smoother.timeline.chain[player]
        assert drawn.peaks[player].var() == pytest.approx(exact.variance[node], rel=0.1)


def test_the_number_of_workers_makes_no_difference() -> None:
    system = FittedStateSpace(FULL)
    matches = simulate(n_players=40, n_matches=1000, days=4000, seed=4)
    one, two = (rate_history(matches, system=system, n_draws=40, workers=Workers(jobs=jobs)) for jobs in (1, 3))
    assert len(one.timeline) > 1500
    assert (one.sd == two.sd).all()
    assert (one.peaks == two.peaks).all()


def simulate_paths(
    parameters: Parameters, n_players: int, n_matches: int, days: int, seed: int
) -> tuple[Matches, Floats]:
    """An unbalanced record, players coming in over time, and the true strength at each node."""
    rng = np.random.default_rng(seed)
    keenness = rng.pareto(1.0, n_players) + 0.05
    entered = np.sort(rng.uniform(0, 0.7 * days, n_players)) * (np.arange(n_players) > 5)
    time = np.sort(np.floor(rng.uniform(0, days, n_matches)))
    pairs = np.empty((n_matches, 2), np.int32)
    for t in range(n_matches):
        chance = np.where(entered <= time[t], keenness, 0.0)
        pairs[t] = rng.choice(n_players, 2, replace=False, p=chance / chance.sum())
    played = Matches.of_pairs(pairs[:, 0], pairs[:, 1], np.zeros(n_matches), time=time)
    timeline = Timeline.of(played)
    tree = Tree.of(timeline, parameters)
    drawn = np.zeros(len(tree.parent))
    for k in range(1, len(drawn)):
        drawn[k] = drawn[tree.parent[k]] + math.sqrt(tree.step[k]) * rng.standard_normal()
    truth = (drawn + tree.mean + tree.offset)[tree.n_levels :]
    node = np.repeat(np.arange(len(timeline)), timeline.played)
    apart = np.empty(n_matches)
    is_first = timeline.seat == 0
    apart[timeline.match[is_first]] = (truth[node] - truth[timeline.opponent])[is_first]
    won = rng.random(n_matches) < 1 / (1 + np.exp(-apart))
    return Matches.of_pairs(pairs[:, 0], pairs[:, 1], won.astype(float), time=time), truth


def test_bands_cover_the_truth() -> None:
    parameters = Parameters(spread=300, drift=100, entry_drift=40, learning=10)
    covered = []
    for seed in range(30):
        matches, truth = simulate_paths(parameters, 30, 200, 1000, seed)
        history = rate_history(matches, system=FittedStateSpace(parameters), n_draws=8)
        error = history.rating - to_elo(truth)
        error -= np.average(error, weights=history.timeline.played)
        covered.append((np.abs(error) < 1.96 * history.sd).mean())
    assert 0.93 < np.mean(covered) < 0.97


def test_hindsight_is_nearer_to_the_truth_than_the_filter() -> None:
    parameters = Parameters(spread=300, drift=100)
    matches, truth = simulate_paths(parameters, 60, 2000, 2000, 1)
    system = FittedStateSpace(parameters)
    history = rate_history(matches, system=system, n_draws=8)
    middle = 1000
    state, _ = system.play(system.start(60), matches.part(0, middle))
    assert matches.time is not None
    then = matches.time[middle - 1]
    late, early = history.at(then), system.ratings(state)
    timeline = history.timeline
    known = np.flatnonzero(np.isfinite(late.rating))
    last = np.array([np.flatnonzero((timeline.player == i) & (timeline.day <= then))[-1] for i in known])
    true = 1500 + to_elo(truth[last])
    assert np.square(late.rating[known] - true).mean() < 0.8 * np.square(early[known] - true).mean()


def test_between_matches_ratings_are_those_of_a_node_without_result() -> None:
    """A match against a stranger who is worth nothing as evidence makes a node and tells nothing."""
    matches = simulate(n_players=6, n_matches=60, days=900, seed=6)
    assert matches.time is not None
    parameters = Parameters(spread=250, drift=90)
    history = rate_history(matches, system=FittedStateSpace(parameters))
    moment = float(matches.time[30]) + 0.5
    pairs = matches.pairs
    players = np.flatnonzero(np.isfinite(history.at(moment).rating))
    again = Matches.of_pairs(
        np.concatenate((pairs.first, players)),
        np.concatenate((pairs.second, players + 6)),
        np.concatenate((pairs.score, np.ones(len(players)))),
        time=np.concatenate((matches.time, np.full(len(players), moment))),
        weight=np.concatenate((np.asarray(matches.weight), np.full(len(players), 1e-12))),
        advantage=np.concatenate((matches.advantages, np.zeros(len(players), np.int8))),
    )
    nodes = rate_history(again, system=FittedStateSpace(parameters))
    extra = nodes.time == moment
    bands = nodes.smoother.find_bands(nodes.mode, anchor=np.where(extra, 0.0, nodes.timeline.played))
    at = history.at(moment)
    assert at.sd is not None
    for player in players:
        node = np.flatnonzero(extra & (nodes.timeline.player == player))[0]
        assert at.rating[player] == pytest.approx(nodes.rating[node], abs=1e-4)
        assert at.sd[player] == pytest.approx(to_elo(np.sqrt(bands.variance[node])), abs=1e-4)
    i, j = players[:2]
    compared = history.compare(str(i), str(j), time=moment)
    assert compared.difference == pytest.approx(at.rating[i] - at.rating[j])
    other = nodes.compare(str(i), str(j), time=moment)
    assert (compared.probability, compared.sd) == pytest.approx((other.probability, other.sd), abs=1e-5)


def test_after_the_last_match_the_band_widens_and_nobody_is_rated_before_they_played() -> None:
    matches = Matches.of_pairs([0, 2], [1, 3], [1, 0], time=[0, 365.25])
    history = rate_history(matches, system=FittedStateSpace(Parameters(spread=200, drift=100)))
    early, late = history.at(100), history.at_end()
    assert early.n_players == 2
    assert np.isnan(early.rating[2:]).all()
    assert early.sd is not None
    assert late.sd is not None
    assert late.sd[0] ** 2 - history.sd[0] ** 2 == pytest.approx(100**2)
    assert late.rating[0] == history.rating[0]


def test_best_ever_and_comparisons() -> None:
    matches, truth = simulate_paths(Parameters(spread=300, drift=50), 20, 3000, 2000, 2)
    history = rate_history(matches, system=FittedStateSpace(Parameters(spread=300, drift=50)))
    best = history.best_ever(top=100)
    assert best["probability"].sum() == pytest.approx(1)
    assert best["rating"].is_sorted(descending=True)
    assert (best["matches"] >= 30).all()
    peak = [truth[history.timeline.player == i].max() for i in range(20)]
    able = np.flatnonzero(history.matches >= 30)
    strongest = str(able[np.argmax(np.array(peak)[able])])
    assert best.filter(pl.col("player") == strongest)["probability"][0] > 0.2
    first, second = best["player"][0], best["player"][-1]
    assert history.compare(first, second).probability > 0.95
    assert history.compare(first, second).probability == 1 - history.compare(second, first).probability
    assert history.compare(first, second, time=1999).time == 1999
    everyone = history.best_ever(min_matches=10**6)
    assert len(everyone) == 10


def test_history_shows_itself() -> None:
    matches = simulate(seed=7)
    history = rate_history(matches, system=FittedStateSpace(FULL))
    assert history.to_frame().columns == ["player", "time", "rating", "sd", "matches"]
    assert "best ever" in history.summary()
    document = history.document()
    assert {"players", "best_ever", "history"} <= document.keys()
    assert len(document["history"][0]["path"]) == len(history.path(document["history"][0]["player"]))
    assert "<svg" in history._repr_html_()


class TestBadCases:
    def test_one_match(self) -> None:
        history = rate_history(Matches.of_pairs([0], [1], [1]))
        assert history.rating[0] > 1500 > history.rating[1]
        assert history.compare("0", "1").probability > 0.5

    def test_no_times_are_match_after_match(self) -> None:
        pairs = ([0, 1, 2, 0], [1, 2, 0, 2], [1, 0.5, 0, 1])
        without = rate_history(Matches.of_pairs(*pairs), system=FittedStateSpace(FULL))
        numbered = rate_history(Matches.of_pairs(*pairs, time=[0, 1, 2, 3]), system=FittedStateSpace(FULL))
        assert without.rating == pytest.approx(numbered.rating)
        assert without.time.tolist() == [1, 3, 4, 1, 2, 2, 3, 4]

    def test_equal_times_are_one_node(self) -> None:
        matches = Matches.of_pairs(
            [0, 1, 0, 1], [1, 0, 1, 0], [1, 0, 1, 0.5], time=np.full(4, "2020-01-01", "datetime64[D]")
        )
        history = rate_history(matches, system=FittedStateSpace(Parameters()))
        assert len(history.timeline) == 2

    @pytest.mark.parametrize("n_matches", [3, 2000])
    def test_who_never_wins_has_a_rating_and_a_band(self, n_matches: int) -> None:
        n = 4
        other = np.arange(n_matches) % (n - 1) + 1
        matches = Matches.of_pairs(np.zeros(n_matches, int), other, np.zeros(n_matches), time=np.arange(n_matches))
        history = rate_history(matches, system=FittedStateSpace(Parameters(spread=1000, drift=1)), n_draws=8)
        assert history.converged
        assert np.isfinite(history.rating).all()
        assert (history.sd > 0).all()
        assert history.rating[: history.timeline.chain[1]].max() < 1500

    def test_two_islands_are_two_records(self) -> None:
        parameters = FittedStateSpace(Parameters(spread=200, drift=50))
        one, two = simulate(seed=8), simulate(seed=9)
        a, b, both = one.pairs, two.pairs, one.time
        assert both is not None
        assert two.time is not None
        joint = Matches.of_pairs(
            np.concatenate((a.first, b.first + 8)),
            np.concatenate((a.second, b.second + 8)),
            np.concatenate((a.score, b.score)),
            time=np.concatenate((both, two.time)),
            weight=np.concatenate((np.asarray(one.weight), np.asarray(two.weight))),
            advantage=np.concatenate((one.advantages, two.advantages)),
        )
        alone = rate_history(one, system=parameters)
        together = rate_history(joint, system=parameters)
        n = len(alone.timeline)
        assert together.rating[:n] == pytest.approx(alone.rating, abs=1e-3)
        errors = [history.compare("0", "1", time=1000).sd for history in (alone, together)]
        assert errors[0] == pytest.approx(errors[1], abs=1e-3)

    def test_many_newcomers_with_one_match(self) -> None:
        n = 20_000
        time = np.sort(np.random.default_rng(0).integers(0, 3000, n))
        matches = Matches.of_pairs(np.arange(n), np.arange(n) + n, np.ones(n), time=time)
        system = FittedStateSpace(Parameters(spread=300, drift=60, entry_drift=30))
        history = rate_history(matches, system=system, n_draws=8)
        assert history.converged
        assert np.ptp(history.rating[:n]) < 1
        assert len(history.best_ever()) == 10

    def test_what_it_cannot_do_it_says(self) -> None:
        matches = simulate(seed=1)
        with pytest.raises(LudometerError, match="form"):
            rate_history(matches, system=FittedStateSpace(Parameters(form=30)))
        with pytest.raises(LudometerError, match="there are no matches"):
            rate_history(matches.part(0, 0))
        history = rate_history(matches, system=FittedStateSpace(FULL))
        with pytest.raises(LudometerError, match="had not played by -5"):
            history.compare("0", "1", time=-5)
        with pytest.raises(LudometerError, match="no player is called"):
            history.compare("0", "nobody")
        with pytest.raises(LudometerError, match="cannot be compared with themselves"):
            history.compare("0", "0")
        several = Matches.of_seats([0, 3], [0, 1, 2], [1, 2, 3])
        with pytest.raises(LudometerError, match="two-player matches are needed"):
            rate_history(several, system=FittedStateSpace(FULL))
