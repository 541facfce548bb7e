"""The worth of a seat is told from strength, and a game whose first seat wins more often is still a coin."""

from __future__ import annotations

import numpy as np
import pytest

from ludometer.arrays import Counts
from ludometer.errors import LudometerError
from ludometer.matches import Matches
from ludometer.measurement.benchmarks.families import Deterministic, Mixed, Replicate, Skilled
from ludometer.measurement.benchmarks.inversion import Inversion, invert
from ludometer.measurement.benchmarks.yardstick import make_schedule, make_target
from ludometer.measurement.record.seats import SeatAdvantage, estimate_advantage
from ludometer.scale import to_elo

N_PLAYERS, N_MATCHES = 300, 9_000


def sit(rng: np.random.Generator, keep: float | None) -> tuple[Counts, Counts]:
    """Random opponents; players with even codes want to sit first, and get it with this probability."""
    one = rng.integers(0, N_PLAYERS, N_MATCHES)
    other = (one + rng.integers(1, N_PLAYERS, N_MATCHES)) % N_PLAYERS
    if keep == 1:
        return one // 2 * 2, other // 2 * 2 + 1
    wanted = (other % 2 == 0).astype(int) - (one % 2 == 0)
    swap = rng.random(N_MATCHES) < 0.5
    if keep is not None:
        swap = np.where(wanted == 0, swap, (wanted > 0) == (rng.random(N_MATCHES) < keep))
    return np.where(swap, other, one), np.where(swap, one, other)


def play(seed: int, *, keep: float | None, plus: float, x: float = 0.0, sd: float = 0.0) -> Matches:
    """Coins, x percent of the better player's wins, or logistic results; the first seat scores so much more."""
    rng = np.random.default_rng([seed, 5])
    first, second = sit(rng, keep)
    skill = rng.standard_normal(N_PLAYERS)
    apart = skill[first] - skill[second]
    chance = 0.5 + x / 200 * np.sign(apart) if not sd else 1 / (1 + np.exp(-sd * apart))
    return Matches.of_pairs(first, second, (rng.random(N_MATCHES) < chance + plus).astype(float), ordered=True)


def matched(matches: Matches, seats: SeatAdvantage | None) -> Inversion:
    target = make_target(matches, matches.counts >= 25, k=10.0, seats=seats)
    return invert(target, Deterministic(), replicates=39, seed=[1])


@pytest.mark.parametrize("keep", [None, 0.8, 1.0])
@pytest.mark.parametrize(("plus", "x"), [(0.2, 0), (0.4, 0), (0.1, 20), (-0.1, 20)])
def test_the_worth_of_a_seat_is_found(keep: float | None, plus: float, x: float) -> None:
    found = estimate_advantage(play(1, keep=keep, plus=plus, x=x), "order" if keep is None else None)
    assert found.applied
    assert found.advantage is not None
    assert found.interval is not None
    wanted = to_elo(2 * np.arctanh(2 * plus))
    low, high = found.interval
    # where players keep their seats, how strong those happen to be who sit first is part of the doubt
    assert low - 8 < wanted < high + 8
    assert high - low < 40
    assert found.excess == pytest.approx(2 * plus, abs=0.04)
    assert found.keeps_seats == (keep is not None)
    assert "expectation of the verdict allows for it" in found.lines()[0]
    assert ("second" if plus < 0 else "first") in found.lines()[0]


def test_a_logistic_advantage_is_found_in_elo_points() -> None:
    rng = np.random.default_rng(1)
    first, second = sit(rng, 0.8)
    skill = rng.standard_normal(N_PLAYERS)
    chance = 1 / (1 + np.exp(-(1.2 * (skill[first] - skill[second]) + 0.4)))
    found = estimate_advantage(Matches.of_pairs(first, second, (rng.random(N_MATCHES) < chance).astype(float)))
    assert found.applied
    assert found.advantage == pytest.approx(to_elo(0.4), abs=12)


def test_seats_without_an_advantage_are_rarely_called_different() -> None:
    applied = [
        estimate_advantage(play(seed, keep=keep, plus=0.0, x=20)).applied for seed in range(20) for keep in (None, 1.0)
    ]
    assert sum(applied) <= 3


def test_strong_players_who_like_to_sit_first_give_the_seat_nothing() -> None:
    rng = np.random.default_rng(3)
    skill = rng.standard_normal(N_PLAYERS)
    one = rng.integers(0, N_PLAYERS, N_MATCHES)
    other = (one + rng.integers(1, N_PLAYERS, N_MATCHES)) % N_PLAYERS
    swap = (skill[other] > skill[one]) == (rng.random(N_MATCHES) < 0.7)
    first, second = np.where(swap, other, one), np.where(swap, one, other)
    chance = 1 / (1 + np.exp(-(skill[first] - skill[second])))
    matches = Matches.of_pairs(first, second, (rng.random(N_MATCHES) < chance).astype(float))
    assert matches.pairs.score.mean() > 0.55
    found = estimate_advantage(matches)
    assert found.keeps_seats
    assert found.advantage is not None
    assert abs(found.advantage) < 15


@pytest.mark.parametrize(("result", "exempt"), [(1.0, "winner first"), (0.0, "loser first")])
def test_files_that_list_winners_in_one_seat_are_exempt(result: float, exempt: str) -> None:
    drawn = np.where(np.arange(N_MATCHES) % 5 == 0, 0.5, result)
    first, second = sit(np.random.default_rng(1), None)
    found = estimate_advantage(Matches.of_pairs(first, second, drawn))
    assert (found.exempt, found.applied, found.advantage) == (exempt, False, None)
    assert exempt.split(maxsplit=1)[0] in found.absent()["advantage"]


def test_a_column_names_the_better_seat_and_a_word_switches_it_off() -> None:
    matches = play(2, keep=0.8, plus=0.2)
    table, turned = matches.pairs, np.random.default_rng(1).random(N_MATCHES) < 0.5
    first, second = np.where(turned, table.second, table.first), np.where(turned, table.first, table.second)
    score = np.where(turned, 1 - table.score, table.score)
    shuffled = Matches.of_pairs(first, second, score, ordered=True)
    named = Matches.of_pairs(first, second, score, ordered=True, advantage=np.where(turned, -1, 1))
    assert not estimate_advantage(shuffled).applied
    found, same = estimate_advantage(named), estimate_advantage(matches)
    assert found.advantage == pytest.approx(same.advantage)
    assert found.keeps_seats
    one, other = matched(named, found), matched(matches, same)
    assert one.estimate == pytest.approx(other.estimate, abs=3)
    assert estimate_advantage(matches, "none") == SeatAdvantage(exempt="none")
    assert estimate_advantage(matches, "order").advantage == same.advantage
    with pytest.raises(LudometerError, match="'order' or 'none'"):
        estimate_advantage(matches, "left")


@pytest.mark.parametrize("keep", [0.8, 1.0])
def test_a_coin_with_a_better_seat_reads_as_a_coin(keep: float) -> None:
    matches = play(4, keep=keep, plus=0.2)
    assert matched(matches, None).interval[0] > 10
    assert matched(matches, estimate_advantage(matches)).interval[0] == 0


def test_skill_beside_a_better_seat_is_measured() -> None:
    for x, plus in ((20, 0.1), (60, 0.1)):
        matches = play(5, keep=0.9, plus=plus, x=x)
        low, high = matched(matches, estimate_advantage(matches)).interval
        assert low <= x <= high
        assert high - low < 20


@pytest.mark.parametrize("keep", [None, 0.9])
def test_replicates_favour_the_first_seat_as_the_record_does(keep: float | None) -> None:
    matches = play(6, keep=keep, plus=0.15)
    seats = estimate_advantage(matches, "order")
    schedule = make_schedule(matches, seats=seats)
    skills, key = np.random.default_rng(1).standard_normal((N_PLAYERS, 8)), np.array([1, 2], np.uint32)
    for family, value in ((Deterministic(), 0.0), (Deterministic(), 50.0), (Mixed(), 10.0), (Skilled(), 20.0)):
        # several populations, since those who sit first may happen to be stronger
        scores = [Replicate(family, schedule, skill, key)(value).mean() / 2 for skill in skills.T]
        assert np.mean(scores) == pytest.approx(0.5 + seats.excess / 2, abs=0.015)


@pytest.mark.parametrize(("x", "q"), [(0, 0.94), (20, 0.5), (60, 0.7), (60, 0.94)])
def test_an_order_that_results_have_made_is_no_advantage(x: float, q: float) -> None:
    matches = play(7, keep=None, plus=0.0, x=x)
    table, swap = matches.pairs, (matches.pairs.score == 0) & (np.random.default_rng(1).random(N_MATCHES) < q)
    first, second = np.where(swap, table.second, table.first), np.where(swap, table.first, table.second)
    found = estimate_advantage(Matches.of_pairs(first, second, np.where(swap, 1.0, table.score)))
    assert (found.exempt, found.applied, found.misleads) == ("order by results", False, False)
    assert "the way in which the file was written" in found.lines()[0]


@pytest.mark.parametrize("sd", [0.0, 1.4])
def test_favourites_who_are_listed_first_cannot_be_told_from_a_better_seat(sd: float) -> None:
    matches = play(8, keep=None, plus=0.0, x=60, sd=sd)
    table, skill = matches.pairs, np.random.default_rng([8, 5])
    sit(skill, None)
    strength = skill.standard_normal(N_PLAYERS)
    swap = strength[table.second] > strength[table.first]
    first, second = np.where(swap, table.second, table.first), np.where(swap, table.first, table.second)
    listed = Matches.of_pairs(first, second, np.where(swap, 1 - table.score, table.score))
    found = estimate_advantage(listed)
    assert (found.follows_strength, found.applied, found.misleads) == (True, False, True)
    assert "--advantage none" in found.lines()[0]
    assert not estimate_advantage(listed, "none").misleads
    assert estimate_advantage(listed, "order").applied


def table_of(rng: np.random.Generator, *, keep: bool, lead: float) -> Matches:
    player = np.array([rng.permutation(200)[:4] for _ in range(3_000)])
    if keep:
        player = np.sort(player, axis=1)
    order = np.where(np.arange(4) == 0, lead, 0.0) + rng.gumbel(size=player.shape)
    starts = np.arange(0, player.size + 1, 4)
    return Matches.of_seats(starts, player.ravel(), (-order).argsort(axis=1).argsort(axis=1).ravel() + 1)


def test_seats_of_tables_are_compared() -> None:
    rng = np.random.default_rng(1)
    fair = estimate_advantage(table_of(rng, keep=False, lead=0.0))
    assert not fair.clear
    assert not fair.lines()
    found = estimate_advantage(table_of(rng, keep=False, lead=0.5))
    assert found.clear
    assert not found.keeps_seats
    assert not found.misleads
    assert int(np.argmax(found.by_seat)) == 0
    kept = estimate_advantage(table_of(rng, keep=True, lead=0.5))
    assert kept.misleads
    assert "looks like skill" in kept.lines()[0]


def test_tables_listed_in_the_order_of_places_are_exempt() -> None:
    rng = np.random.default_rng(1)
    player = np.array([rng.permutation(50)[:3] for _ in range(500)])
    matches = Matches.of_seats(np.arange(0, 1501, 3), player.ravel(), np.tile([1, 2, 3], 500))
    assert estimate_advantage(matches).exempt == "order of places"
