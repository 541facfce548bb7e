"""Do chance factors show sooner who is better? Bots of known level play Skat, rated with and without factors.

    sh benchmarks/run.sh skat

Two populations of 30 bots in 5 levels; in each round every bot plays one series of 36 games at a random table.
(bidding) xskat, whose levels differ in bidding only; (card play) our card player, who always bids alike and blunders at
different rates. After 5, 10 and 20 series per bot: the rank correlation of the rating (series Elo, K 0.02) with the
true level, mean over seeds with its standard error. i3 is fitted on the records so far and nothing else. Needs xskat.
Writes results/skat.json.

Does i3 favour a level? Its mean should be zero at each. The same deals are played three times, with the levels moved by
one seat, so that each level holds each hand once, and V is fitted separately in each of the three worlds: the luck of
the deal cancels, and what is left is what V itself gives to a level. "as played" is the first world alone, in which the
luck of the deal does not cancel.
"""

from __future__ import annotations

import time
from collections import defaultdict
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import polars as pl
from scipy.stats import f as f_distribution
from scipy.stats import spearmanr

from ludometer.arrays import Array, Codes, Floats, Mask
from ludometer.skat.luck.deal_value import View, fit_deal_value
from ludometer.skat.luck.factors import (
    ChanceFactors,
    Strength,
    correct_games,
    dealt_hands,
    declared_games,
    table_points,
)
from ludometer.skat.luck.features import DeclaredGames
from ludometer.skat.luck.winning import default_model, fit_winning
from ludometer.skat.programs.card_player import play_deals, simulate_games
from ludometer.skat.programs.xskat import LEVELS, play_xskat
from ludometer.skat.reading.xskat import read_xskat
from ludometer.skat.rules.cards import Masks, deal_cards
from schedules import store

SEEDS = 24
BOTS, ROUNDS, GAMES = 30, 20, 36
CHECKPOINTS = (5, 10, 20)
BLUNDERS = (0.20, 0.15, 0.10, 0.05, 0.0)
"""By level, weakest first."""

NEEDS = (8.5, 7.75, 7.0, 6.25, 5.5)
"""What our card player needs to bid, by level."""

LEAGUES, TABLE_DEALS = 28, 360
"""For the neutrality of i3: leagues, and deals of each of the ten tables of three levels in a league."""

K, START = 0.02, 850.0
FACTORS: dict[str, ChanceFactors] = {
    "none": ChanceFactors(),
    "i1": ChanceFactors(hand=True),
    "i1, lost kept": ChanceFactors(hand=True, lost="keep"),
    "i1, lost multiplied": ChanceFactors(hand=True, lost="multiply"),
    "i2": ChanceFactors(mean_value=True),
    "i1 i2": ChanceFactors(hand=True, mean_value=True),
}
DEALS: dict[str, View] = {"i3 own cards": "own", "i3 all cards": "table"}


@dataclass(frozen=True, eq=False)
class League:
    """One seed: who sits at each table (series, 3), and the games in order, 36 per series."""

    player: Codes
    hands: Masks
    """As dealt, by seat (games, 3)."""
    sitting: Codes
    """Which of the table's three sits forehand, middlehand, rearhand (games, 3)."""
    points: dict[str, Floats]
    """By factor: points of each seat (games, 3)."""


def draw_tables(seed: int) -> Codes:
    """(series, 3): in each round every bot plays once."""
    rng = np.random.default_rng([7, seed])
    return np.concatenate([rng.permutation(BOTS).reshape(-1, 3) for _ in range(ROUNDS)]).astype(np.int32)


def levels_of_bots() -> Codes:
    """Six bots of each level, 0 the weakest."""
    return np.repeat(np.arange(5), BOTS // 5).astype(np.int32)


def seat_points(
    games: DeclaredGames, declarer: Codes, rows: Mask, value: Array, won: Array, strength: Strength
) -> dict[str, Floats]:
    """The points of each seat in each game, by factor; q is relative to the mean of these same games."""
    result = {}
    for name, factors in FACTORS.items():
        points = np.zeros(len(declarer))
        points[rows] = correct_games(games, value[rows], won[rows], factors, strength=strength)
        result[name] = table_points(np.where(rows, declarer, -1), points, won)
    return result


def play_bidding() -> list[League]:
    """xskat plays: all series of a combination of levels in one run, then handed to the tables."""
    level = levels_of_bots()
    tables = [draw_tables(seed) for seed in range(SEEDS)]
    wanted: dict[tuple[int, int, int], list[tuple[int, int]]] = defaultdict(list)
    for seed, table in enumerate(tables):
        for series, players in enumerate(table):
            first, second, third = (int(code) for code in level[players])
            wanted[first, second, third].append((seed, series))
    frames, place = [], np.empty((SEEDS, len(tables[0])), np.int64)
    n_series = 0
    for run, (codes, users) in enumerate(sorted(wanted.items())):
        first, second, third = (LEVELS[code] for code in codes)
        log = play_xskat(GAMES * len(users), (first, second, third), seed=100 + run)
        frames.append(read_xskat(log.splitlines(), names=("0", "1", "2")))
        for user in users:
            place[user] = n_series
            n_series += 1
    records = pl.concat(frames)
    games, rows = declared_games(records)
    points = seat_points(
        games, records["declarer"].fill_null(-1).to_numpy(), rows, records["value"].fill_null(0).to_numpy(),
        records["won"].fill_null(False).to_numpy(), default_model().predict,
    )  # fmt: skip
    sitting = np.column_stack([records[f"player_{seat}"].cast(pl.Int32).to_numpy() for seat in range(3)])
    hands = dealt_hands(records)
    leagues = []
    for seed, table in enumerate(tables):
        index = (place[seed][:, None] * GAMES + np.arange(GAMES)).ravel()
        leagues.append(League(table, hands[index], sitting[index], {name: p[index] for name, p in points.items()}))
    return leagues


def play_cards() -> list[League]:
    """Our card player plays; the winning model comes from other games of the same population."""
    rates = np.array(BLUNDERS)[levels_of_bots()]
    rng = np.random.default_rng(11)
    other = simulate_games(100_000, blunder=rates[rng.integers(0, BOTS, (100_000, 3))], seed=12)
    model = fit_winning(other.declared, other.won[other.played])
    leagues = []
    for seed in range(SEEDS):
        table = draw_tables(seed)
        n = len(table) * GAMES
        # forehand passes on after each game
        sitting = ((np.arange(n)[:, None] + np.arange(3)) % 3).astype(np.int32)
        player = np.take_along_axis(np.repeat(table, GAMES, axis=0), sitting, 1)
        hands, skat = deal_cards(n, seed=np.random.default_rng([13, seed]))
        played = play_deals(hands, skat, blunder=rates[player], seed=np.random.default_rng([14, seed]))
        points = seat_points(
            played.declared, played.declarer, played.declarer >= 0, played.value, played.won, model.predict
        )
        leagues.append(League(table, hands, sitting, points))
    return leagues


@dataclass(frozen=True, eq=False)
class Worlds:
    """The same deals three times, with the levels moved by one seat; tables are the ten choices of three levels."""

    hands: Masks
    """As dealt (tables, deals, 3 seats): the same in each world."""
    level: Codes
    """Who sits there (tables, worlds, deals, seats)."""
    points: Floats
    """Points (tables, worlds, deals, seats)."""


TABLES = tuple(combinations(range(5), 3))


def move_bidding() -> Worlds:
    """xskat, whose deals depend on the seed alone; that they do is checked."""
    n = LEAGUES * TABLE_DEALS
    hands, level, points = (np.empty((10, *shape), kind) for shape, kind in (
        ((n, 3), np.uint32), ((3, n, 3), np.int32), ((3, n, 3), np.float64)))  # fmt: skip
    for table, codes in enumerate(TABLES):
        for world in range(3):
            own = np.roll(codes, -world)
            first, second, third = (LEVELS[int(code)] for code in own)
            log = play_xskat(n, (first, second, third), seed=10_000 + table)
            records = read_xskat(log.splitlines(), names=("0", "1", "2"))
            dealt = dealt_hands(records)
            assert len(dealt) == n
            assert world == 0 or (dealt == hands[table]).all(), "the levels changed the deals"
            hands[table] = dealt
            sitting = np.column_stack([records[f"player_{seat}"].cast(pl.Int32).to_numpy() for seat in range(3)])
            level[table, world] = own[sitting]
            points[table, world] = table_points(
                records["declarer"].fill_null(-1).to_numpy(), records["points"].fill_null(0).to_numpy(),
                records["won"].fill_null(False).to_numpy(),
            )  # fmt: skip
    return Worlds(hands, level, points)


def move_both() -> Worlds:
    """Our card player, whose levels differ in what they bid on and in how they play."""
    n = LEAGUES * TABLE_DEALS
    needs, rates = np.array(NEEDS), np.array(BLUNDERS)
    hands, skat = deal_cards(10 * n, seed=np.random.default_rng(21))
    sitting = (np.arange(n)[:, None] + np.arange(3)) % 3
    level = np.stack([[np.roll(codes, -world)[sitting] for world in range(3)] for codes in TABLES]).astype(np.int32)
    points = np.empty(level.shape)
    for world in range(3):
        own = level[:, world].reshape(-1, 3)
        played = play_deals(hands, skat, blunder=rates[own], need=needs[own], seed=np.random.default_rng([22, world]))
        points[:, world] = table_points(played.declarer, played.points, played.won).reshape(10, n, 3)
    return Worlds(hands.reshape(10, n, 3), level, points)


def measure_neutrality(worlds: Worlds) -> dict[str, Any]:
    """What i3 subtracts per series, by level; V is fitted separately in each league and world, as for ratings."""
    found: dict[str, Any] = {
        "deals": worlds.hands.shape[0] * worlds.hands.shape[1], "leagues": LEAGUES, "deals a league": 10 * TABLE_DEALS,
        "points a series by level": [
            round(GAMES * float(worlds.points[worlds.level == code].mean()), 1) for code in range(5)
        ],
    }  # fmt: skip
    for name, view in DEALS.items():
        moved, raw = np.empty((LEAGUES, 5)), np.empty((LEAGUES, 5))
        for league in range(LEAGUES):
            rows = slice(league * TABLE_DEALS, (league + 1) * TABLE_DEALS)
            hands = worlds.hands[:, rows].reshape(-1, 3)
            luck = np.stack([
                fit_deal_value(hands, worlds.points[:, world, rows].reshape(-1, 3), view=view, seed=league)
                .deviation.reshape(10, TABLE_DEALS, 3) for world in range(3)
            ], axis=1)  # fmt: skip
            level = worlds.level[:, :, rows]
            # compared with the others at the same table and deals, so that the luck of the deal cancels
            against = luck - luck.mean(axis=(1, 2, 3), keepdims=True)
            moved[league] = [GAMES * against[level == code].mean() for code in range(5)]
            raw[league] = [GAMES * luck[:, 0][level[:, 0] == code].mean() for code in range(5)]
        found[name] = {
            "moved on": [summarise(column) for column in moved.T],
            "moved on, p": test_zero(moved[:, :4]),
            "as played": [summarise(column) for column in raw.T],
            "as played, p": test_zero(raw),
        }
    return found


def test_zero(rows: Floats) -> float:
    """Hotelling's test that the mean of these rows is zero in all columns."""
    n, m = rows.shape
    mean = rows.mean(axis=0)
    statistic = n * mean @ np.linalg.solve(np.cov(rows.T), mean)
    return round(float(f_distribution.sf(statistic * (n - m) / (m * (n - 1)), m, n - m)), 4)


def series_scores(league: League, points: Floats) -> Floats:
    """(series, 3) in the order of the table's players."""
    by_player = np.empty_like(points)
    np.put_along_axis(by_player, league.sitting.astype(np.int64), points, 1)
    scores: Floats = by_player.reshape(-1, GAMES, 3).sum(axis=1)
    return scores


def rate(player: Codes, scores: Floats) -> Floats:
    """Series Elo: E_i = R_i S / R; where that is undefined, the additive form."""
    rating = np.full(BOTS, START)
    for seats, score in zip(player, scores, strict=True):
        own = rating[seats]
        total = score.sum()
        if total > 0 and (own > 0).all():
            expected = own * total / own.sum()
        else:
            expected = own + (total - own.sum()) / 3
        rating[seats] = own + K * (score - expected)
    return rating


def measure(leagues: list[League]) -> dict[str, Any]:
    """Rank correlations by factor and number of series, and what else tells the factors apart."""
    level = levels_of_bots()
    found: dict[str, dict[int, list[float]]] = defaultdict(lambda: defaultdict(list))
    spread: dict[str, list[float]] = defaultdict(list)
    reduction: dict[str, list[float]] = defaultdict(list)
    in_series: dict[str, list[float]] = defaultdict(list)
    luck: dict[str, list[Floats]] = defaultdict(list)
    for seed, league in enumerate(leagues):
        raw = series_scores(league, league.points["none"])
        for checkpoint in CHECKPOINTS:
            n_series = checkpoint * BOTS // 3
            n_games = n_series * GAMES
            scores = {name: series_scores(league, points)[:n_series] for name, points in league.points.items()}
            part = League(league.player[:n_series], league.hands[:n_games], league.sitting[:n_games], {})
            for name, view in DEALS.items():
                value = fit_deal_value(part.hands, league.points["none"][:n_games], view=view, seed=seed)
                deviation = series_scores(part, value.deviation)
                scores[name] = raw[:n_series] - deviation
                if checkpoint == CHECKPOINTS[-1]:
                    reduction[name].append(value.reduction)
                    in_series[name].append(1 - within(part.player, scores[name]) / within(part.player, raw))
                    luck[name].append(by_level(part.player, deviation))
            for name, score in scores.items():
                rating = rate(part.player, score)
                found[name][checkpoint].append(float(spearmanr(rating, level).statistic))
                if checkpoint == CHECKPOINTS[-1]:
                    means = by_level(part.player, score)
                    spread[name].append(float(means.std() / np.sqrt(within(part.player, score))))
    return {
        "points a series by level": np.mean(
            [by_level(x.player, series_scores(x, x.points["none"])) for x in leagues], 0
        )
        .round(1)
        .tolist(),
        "rank correlation": {
            name: {str(n): summarise(values) for n, values in rows.items()} for name, rows in found.items()
        },
        "gain over none": {
            name: {str(n): summarise(np.subtract(values, found["none"][n])) for n, values in rows.items()}
            for name, rows in found.items()
            if name != "none"
        },
        "spread of levels / SD within a level": {name: summarise(values) for name, values in spread.items()},
        "variance of a game removed": {name: summarise(values) for name, values in reduction.items()},
        "variance of a series within levels removed": {name: summarise(values) for name, values in in_series.items()},
        "luck subtracted a series, by level": {
            name: [summarise(column) for column in np.transpose(rows)] for name, rows in luck.items()
        },
    }


def by_level(player: Codes, scores: Floats) -> Floats:
    """Mean series points of each level."""
    level = levels_of_bots()[player]
    return np.array([scores[level == code].mean() for code in range(5)])


def within(player: Codes, scores: Floats) -> float:
    """Variance of a series score around its level's mean."""
    level = levels_of_bots()[player]
    return float(np.mean([scores[level == code].var() for code in range(5)]))


def summarise(values: Any) -> list[float]:
    """Mean and its standard error over seeds."""
    values = np.asarray(values, float)
    return [round(float(values.mean()), 4), round(float(values.std(ddof=1) / np.sqrt(len(values))), 4)]


def main() -> None:
    """Play, rate, print, store."""
    results: dict[str, Any] = {"seeds": SEEDS, "bots": BOTS, "games a series": GAMES, "K": K}
    for name, play in (("bidding", play_bidding), ("card play", play_cards)):
        begin = time.perf_counter()
        results[name] = measure(play())
        print(f"levels differ in {name} ({time.perf_counter() - begin:.0f} s): series points by level, weakest first:",
              results[name]["points a series by level"])  # fmt: skip
        for factor, row in results[name]["rank correlation"].items():
            gain = results[name]["gain over none"].get(factor, {})
            cells = (f"{n}: {mean:.3f} ± {error:.3f}" for n, (mean, error) in row.items())
            gains = (f"{mean:+.3f} ± {error:.3f}" for mean, error in gain.values())
            print(f"  {factor:22s} {'   '.join(cells)}   gain {'  '.join(gains) or '-'}", flush=True)
        for factor in DEALS:
            game, series = (
                results[name][f"variance of a {x} removed"][factor] for x in ("game", "series within levels")
            )
            print(f"  {factor}: variance of a game -{game[0]:.1%}, of a series within levels -{series[0]:.1%}")
    results["neutrality of i3"] = {}
    for name, move in (("bidding", move_bidding), ("bidding and card play", move_both)):
        begin = time.perf_counter()
        found = results["neutrality of i3"][name] = measure_neutrality(move())
        print(f"luck subtracted a series by level, weakest first, {name} ({time.perf_counter() - begin:.0f} s):")
        for factor in DEALS:
            for design in ("moved on", "as played"):
                cells = (f"{mean:+.2f} ± {error:.2f}" for mean, error in found[factor][design])
                print(f"  {factor}, {design}: {'  '.join(cells)}   p {found[factor][f'{design}, p']:.3f}", flush=True)
    store("skat", results)


if __name__ == "__main__":
    main()
