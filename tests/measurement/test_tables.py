"""Multiplayer matches that were written as pairs are found and put together again; real pairs are left alone."""

from __future__ import annotations

from itertools import combinations, product
from typing import Any

import numpy as np
import pytest

from ludometer.matches import Matches, Pairs, Seats
from ludometer.measurement import measure
from ludometer.measurement.record.study import study_record
from ludometer.measurement.record.tables import _Tables, restore_tables
from tests.measurement.multiplied import exported, layouts, natural_records

N = 400


def tables(size: int = 6, n: int = N, *, players: int = 50, seed: int = 0) -> Any:
    """Who sits at each table, the winner first: a coin."""
    rng = np.random.default_rng(seed)
    return np.array([rng.permutation(players)[:size] for _ in range(n)])


def flat(pairs: list[tuple[int, int]], time: list[int] | None, *, seed: int = 1) -> Matches:
    """Winner and loser of each row, in an order of columns that does not tell."""
    rng = np.random.default_rng(seed)
    both, turned = np.array(pairs), rng.random(len(pairs)) < 0.5
    first, second = np.where(turned[:, np.newaxis], both[:, ::-1], both).T
    return Matches.of_pairs(first, second, (~turned).astype(float), time=time)


def flattened(kind: str, seated: Any, *, timed: bool, spacing: int = 1) -> Matches:
    rows: list[tuple[int, int]] = []
    time: list[int] = []
    for when, table in enumerate(seated):
        half = len(table) // 2
        own = {
            "winner": [(table[0], other) for other in table[1:]],
            "order": list(combinations(table, 2)),
            "teams": list(product(table[:half], table[half:])),
        }[kind]
        rows += own
        time += [when // spacing] * len(own)
    return flat(rows, time if timed else None)


@pytest.mark.parametrize("timed", [True, False], ids=["times", "no times"])
@pytest.mark.parametrize("kind", ["winner", "order"])
def test_tables_are_put_together(kind: str, timed: bool) -> None:
    seated = tables()
    whole, found = restore_tables(flattened(kind, seated, timed=timed))
    assert (found.kind, found.tables, found.cured) == (kind, N, True)
    assert isinstance(whole.table, Seats)
    assert (whole.table.sizes == 6).all()
    player, place = whole.table.player.reshape(N, 6), whole.table.place.reshape(N, 6)
    assert (player[:, 0] == seated[:, 0]).all()
    assert (np.sort(player, axis=1) == np.sort(seated, axis=1)).all()
    if kind == "order":
        assert (player == seated).all()
        assert (place == np.arange(1, 7)).all()
    else:
        assert (place == [1, 2, 2, 2, 2, 2]).all()
    if timed:
        assert whole.time is not None
        assert whole.time.tolist() == list(range(N))
    again, nothing = restore_tables(whole)
    assert again is whole
    assert not nothing.suspected


@pytest.mark.parametrize("timed", [True, False], ids=["times", "no times"])
@pytest.mark.parametrize("sides", [2, 5])
def test_of_teams_one_pair_counts(sides: int, timed: bool) -> None:
    seated = tables(2 * sides)
    record = flattened("teams", seated, timed=timed)
    whole, found = restore_tables(record)
    assert (found.kind, found.tables) == ("teams", N)
    assert isinstance(whole.table, Pairs)
    assert len(whole) == N
    pairs = whole.table
    won = np.where(pairs.halves == 2, pairs.first, pairs.second)
    assert (seated[:, :sides] == won[:, np.newaxis]).any(axis=1).all()
    # the pair is chosen by who plays: had the other team won, it would be the same
    mirrored = Matches.of_pairs(
        record.pairs.first, record.pairs.second, (2 - record.pairs.halves).astype(np.int8), time=record.time
    )
    other = restore_tables(mirrored)[0].pairs
    assert np.array_equal(other.first, pairs.first)
    assert np.array_equal(other.halves, 2 - pairs.halves)


def test_tables_of_many_sizes_and_several_at_one_time() -> None:
    rng = np.random.default_rng(2)
    seated = [rng.permutation(60)[: rng.integers(3, 8)] for _ in range(N)]
    for timed in (True, False):
        whole, found = restore_tables(flattened("winner", seated, timed=timed))
        assert found.kind == "winner"
        assert abs(len(whole) - N) < 0.03 * N
    # two tables of a day that share no player
    rows = [rng.permutation(60)[:12].reshape(2, 6) for _ in range(N // 2)]
    whole, found = restore_tables(flattened("order", np.concatenate(rows), timed=True, spacing=2))
    assert (found.kind, len(whole)) == ("order", N)


def test_small_tables_of_few_players_are_told_apart_by_their_length() -> None:
    whole, found = restore_tables(flattened("winner", tables(3, players=15), timed=False))
    assert (found.tables, len(whole)) == (N, N)


def test_the_loser_may_be_the_one_who_is_told() -> None:
    seated = tables(4)
    rows = [(other, table[0]) for table in seated for other in table[1:]]
    whole, found = restore_tables(flat(rows, [row // 3 for row in range(len(rows))]))
    assert found.tables == N
    assert isinstance(whole.table, Seats)
    assert (whole.table.place.reshape(N, 4) == [1, 1, 1, 4]).all()
    assert (whole.table.player.reshape(N, 4)[:, 3] == seated[:, 0]).all()


def _real() -> dict[str, Matches]:
    """Pairs that share winners, days and players, and are matches of their own."""
    rng = np.random.default_rng(3)
    days = {}
    for name, strength in (("coin", 0.0), ("skill", 0.5)):
        rows, time = [], []
        for day in range(200):
            club = rng.permutation(30)[:4]
            for a, b in combinations(club, 2):
                wins = rng.random() < 1 / (1 + np.exp(strength * (a - b) / 3))
                rows.append((a, b) if wins else (b, a))
                time.append(day)
        days[f"round robins of a day, {name}"] = flat(rows, time)
        days[f"round robins in rows, {name}"] = flat(rows, None)
    both = [(int(a), int(b)) for a, b in (rng.permutation(30)[:2] for _ in range(1_500))]
    return days | {
        "sorted by winner": flat(sorted(both), None),
        "sorted by winner, one day a month": flat(sorted(both), [row // 100 for row in range(1_500)]),
    }


@pytest.mark.parametrize("name", [*natural_records(), *_real()])
def test_real_pairs_stay(name: str) -> None:
    record = (natural_records() | _real())[name]
    whole, found = restore_tables(record)
    assert whole is record
    assert found.lines() == ()


def test_a_flattened_and_mirrored_coin_is_measured_as_a_coin() -> None:
    record = flattened("winner", tables(n=800), timed=True)
    rows, turned = next((rows, turned) for name, rows, turned in layouts(len(record)) if name.startswith("mirrored"))
    study = study_record(exported(record, rows, turned))
    assert (study.repeats.kind, study.flattened.kind) == ("mirrored", "winner")
    assert [line.split(";")[0] for line in study.lines()][:2] == [
        "4,000 rows repeat a match from the other player's side",
        "4,000 rows are 800 multiplayer matches, written as the winner against each other player",
    ]
    game = measure(study, quick=True)
    assert game.data.n_matches == 800
    assert game.best_fit.k < 5
    pairs = measure(study_record(record, tables=False), quick=True)
    assert pairs.record.flattened.suspected
    assert not pairs.record.flattened.cured
    assert pairs.best_fit.k > 2 * game.best_fit.k


def plain_form(rows: list[tuple[int, int, int]]) -> int:
    """What players who met in these rows are: -1 two, 1 a winner or a loser, 2 an order, 3 teams, 0 nothing of it."""
    players = sorted({player for first, second, _ in rows for player in (first, second)})
    if len(players) < 3:
        return -1
    result = {}
    for first, second, halves in rows:
        if (first, second) in result:
            return 0
        result[first, second], result[second, first] = halves, 2 - halves
    met = {one: [other for other in players if (one, other) in result] for one in players}
    for one in players:
        ends = {result[one, other] for other in met[one]}
        if 2 * (len(players) - 1) == len(result) and len(met[one]) == len(players) - 1 and ends in ({0}, {2}):
            return 1
    if len(result) == len(players) * (len(players) - 1):
        places = {one: sum(result[one, other] for other in met[one]) for one in players}
        if all(np.sign(places[one] - places[other]) == end - 1 for (one, other), end in result.items()):
            return 2
    drawn = all(end == 1 for end in result.values())
    high = {one for one in players if all(result[one, other] == 2 for other in met[one])}
    if drawn:
        high = {first for first, _, _ in rows}
    low = set(players) - high
    crossed = all((one in high) != (other in high) for one, other in result)
    won = drawn or all(result[one, other] == 2 for one in high for other in met[one])
    is_full = len(result) == 2 * len(high) * len(low)
    return 3 if crossed and won and is_full and min(len(high), len(low)) > 1 else 0


def test_forms_are_those_of_a_plain_look() -> None:
    rng = np.random.default_rng(4)
    slots: list[list[tuple[int, int, int]]] = []
    for number in range(600):
        a, b = rng.integers(1, 4, size=2)
        size = int(a + b)
        seated = [int(player) for player in rng.permutation(9)[:size]]
        place = rng.integers(1, 4, size=size) if number % 2 else rng.permutation(size)
        every = list(combinations(range(size), 2))
        rows = {
            0: [(0, other) for other in range(1, size)],
            1: every,
            2: list(product(range(a), range(a, size))),
        }[number % 3]
        if number % 3 == 2:
            place = np.where(np.arange(size) < a, 1, rng.integers(1, 3))
        made = [(seated[one], seated[other], int(1 + np.sign(place[other] - place[one]))) for one, other in rows]
        if number % 5 == 0:
            one = rng.integers(len(made))
            made[one] = (*made[one][:2], int(rng.integers(3)))
        slots.append(made)
    flat_rows = [row for made in slots for row in made]
    first, second, halves = (np.array(column) for column in zip(*flat_rows, strict=True))
    pairs = Matches.of_pairs(first, second, halves.astype(np.int8)).pairs
    slot = np.repeat(np.arange(len(slots)), [len(made) for made in slots])
    found = _Tables.of(pairs, slot)
    form = found.form[found.table][np.searchsorted(slot, np.arange(len(slots)))]
    plain = [plain_form(made) for made in slots]
    assert form.tolist() == plain
    assert set(plain) == {-1, 0, 1, 2, 3}
