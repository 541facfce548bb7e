"""Matches check what they are made of, keep time order and never change."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ludometer.arrays import Floats
from ludometer.errors import LudometerError, MatchDataError
from ludometer.matches import Fingerprint, Matches, Pairs, Seats, as_moment
from ludometer.measurement.measurement import measure
from ludometer.players import Players
from ludometer.ratings.driver import rate
from ludometer.ratings.systems.best_fit import fit_best_elo
from ludometer.ratings.systems.elo import Elo
from ludometer.selection import keep_connected
from ludometer.strength.ranked import fit_orders


def test_matches_are_sorted_by_time_and_equal_times_keep_their_order() -> None:
    matches = Matches.of_pairs([0, 1, 2, 0], [1, 2, 0, 2], [1, 0.5, 0, 1], time=[3, 1, 3, 1])
    np.testing.assert_array_equal(matches.pairs.first, [1, 0, 0, 2])
    np.testing.assert_array_equal(matches.pairs.halves, [1, 2, 2, 0])
    assert matches.time is not None
    np.testing.assert_array_equal(matches.time, [1, 1, 3, 3])


def test_order_given_by_the_caller_is_kept() -> None:
    matches = Matches.of_pairs([0, 1], [1, 2], [1, 0], time=[5, 2], ordered=True)
    np.testing.assert_array_equal(matches.pairs.first, [0, 1])


def test_arrays_cannot_be_written_and_the_caller_keeps_theirs() -> None:
    first = np.array([0, 1], np.int32)
    matches = Matches.of_pairs(first, [1, 2], [1, 0])
    with pytest.raises(ValueError, match="read-only"):
        matches.pairs.first[0] = 2
    first[0] = 2_000_000_000
    assert matches.pairs.first[0] == 0


@pytest.mark.parametrize(
    ("first", "second", "score", "message"),
    [
        ([0, 1], [0, 2], [1, 1], r"plays against themselves: 1 of 2 rows \(row 1\)"),
        ([0, 1], [1, 2], [1, 7], r"not 1, 0.5 or 0: 1 of 2 rows \(row 2\)"),
        ([0, 1], [1, 2], [1, np.nan], "not 1, 0.5 or 0"),
        ([0, -1], [1, 2], [1, 0], "code is not from 0 to 2"),
        ([0], [1, 2], [1, 0], "differ in length"),
    ],
)
def test_faults_are_counted_and_shown(first: list[int], second: list[int], score: list[float], message: str) -> None:
    with pytest.raises(MatchDataError, match=message):
        Matches.of_pairs(first, second, score)


@pytest.mark.parametrize("codes", [np.array([2**32]), np.array([0.9]), np.array(["a"])])
def test_codes_are_whole_numbers_in_range(codes: np.ndarray[tuple[int], np.dtype[np.int64]]) -> None:
    with pytest.raises(MatchDataError):
        Matches.of_pairs(codes, [1], [1])


def test_given_players_count_even_if_none() -> None:
    with pytest.raises(MatchDataError, match="code is not from 0"):
        Matches.of_pairs([0], [1], [1], players=Players.named([]))
    with pytest.raises(LudometerError, match="same name"):
        Players.named(["Ann", "Ann"])


def test_taking_the_matches_of_two_gives_pairs() -> None:
    matches = Matches.of_seats([0, 3, 5], [0, 1, 2, 0, 1], [1, 2, 3, 2, 1])
    assert matches.take(np.array([False, True])).pairs.score.tolist() == [0]


def test_moments_are_dates_or_numbers() -> None:
    days, numbers = np.array(["2016-01-01"], "datetime64[D]"), np.array([5])
    assert as_moment(2016, days) == np.datetime64("2016-01-01")
    assert as_moment("2016-01-02 10:30Z", days) == np.datetime64("2016-01-02T10:30")
    assert as_moment(date(2016, 1, 3), days) == np.datetime64("2016-01-03")
    assert as_moment("7", numbers) == 7
    for bad in ("20160101", "now", "2016-13-01", 5):
        with pytest.raises(LudometerError):
            as_moment(bad, days)
    with pytest.raises(LudometerError):
        as_moment(date(2016, 1, 3), numbers)


def test_a_missing_time_is_refused() -> None:
    with pytest.raises(MatchDataError, match="time is missing"):
        Matches.of_pairs([0], [1], [1], time=np.array(["NaT"], "datetime64[D]"))


def test_seats_of_two_become_pairs() -> None:
    matches = Matches.of_seats([0, 2, 4, 6], [0, 1, 2, 0, 1, 2], [1, 2, 5, 3, 1, 1])
    assert isinstance(matches.table, Pairs)
    np.testing.assert_array_equal(matches.pairs.halves, [2, 0, 1])


def test_places_count_the_better_seats() -> None:
    matches = Matches.of_seats([0, 4, 6], [0, 1, 2, 3, 0, 1], [10, 20, 20, 30, 2, 1])
    assert isinstance(matches.table, Seats)
    np.testing.assert_array_equal(matches.table.place, [1, 2, 2, 4, 2, 1])
    with pytest.raises(MatchDataError, match="up to 4 players"):
        _ = matches.pairs


def test_recorded_prizes_stay_with_their_seats() -> None:
    matches = Matches.of_seats(
        [0, 3, 5, 7], [0, 1, 2, 3, 4, 0, 3], [1, 2, 3, 2, 1, 1, 2], prize=[5, 3, 0, 1, 2, 7, 4], time=[9, 4, 5]
    )
    np.testing.assert_array_equal(_prize(matches), [1, 2, 7, 4, 5, 3, 0])
    np.testing.assert_array_equal(_prize(matches.take(np.array([True, False, True]))), [1, 2, 5, 3, 0])
    np.testing.assert_array_equal(_prize(matches.part(1, 3)), [7, 4, 5, 3, 0])
    np.testing.assert_array_equal(_prize(matches.part(0, 2).recode(np.array([1, 0, 0, 1, 1], bool))), [1, 2, 7, 4])
    # matches of two whose prizes are recorded are not only won or lost
    assert isinstance(matches.take(np.array([True, True, False])).table, Seats)
    with pytest.raises(MatchDataError, match="differ in length"):
        Matches.of_seats([0, 3], [0, 1, 2], [1, 2, 3], prize=[1, 0])


def _prize(matches: Matches) -> Floats:
    assert isinstance(matches.table, Seats)
    assert matches.table.prize is not None
    return matches.table.prize


def test_a_part_of_seats_shares_their_memory() -> None:
    matches = Matches.of_seats([0, 3, 5, 7], [0, 1, 2, 3, 4, 0, 3], [1, 2, 3, 2, 1, 1, 1], time=[1, 2, 3])
    part = matches.part(1, 9)
    assert len(part) == 2
    assert np.shares_memory(part.seats.player, matches.seats.player)
    np.testing.assert_array_equal(part.seats.starts, [0, 2, 4])
    np.testing.assert_array_equal(part.seats.place, [2, 1, 1, 1])
    digest = Fingerprint()
    for piece in matches.parts(2):
        digest.add(piece)
    assert digest.hexdigest() == matches.fingerprint


def test_a_match_of_several_is_drawn_if_the_first_place_is_shared() -> None:
    matches = Matches.of_seats([0, 3, 6, 8], [0, 1, 2, 0, 1, 2, 0, 1], [1, 1, 3, 1, 2, 2, 1, 1])
    assert matches.n_draws == 2
    assert matches.draw_rate == pytest.approx(2 / 3)
    assert matches.sizes.tolist() == [3, 3, 2]
    assert Matches.of_pairs([0, 1], [1, 0], [1, 0.5]).sizes.tolist() == [2, 2]
    assert Matches.of_pairs([], [], []).draw_rate is None


def test_seats_are_sorted_by_time_as_whole_matches() -> None:
    matches = Matches.of_seats([0, 3, 5], [0, 1, 2, 3, 4], [1, 2, 3, 2, 1], time=[9, 4])
    np.testing.assert_array_equal(matches.seats.player, [3, 4, 0, 1, 2])
    np.testing.assert_array_equal(matches.seats.starts, [0, 2, 5])
    np.testing.assert_array_equal(matches.seats.place, [2, 1, 1, 2, 3])


def test_a_player_twice_in_a_match_is_refused() -> None:
    with pytest.raises(MatchDataError, match=r"appears twice in one match: 1 of 3 rows \(row 3\)"):
        Matches.of_seats([0, 3], [0, 1, 0], [1, 2, 3])


@given(st.lists(st.lists(st.integers(0, 9), min_size=2, max_size=6), min_size=1, max_size=6))
def test_large_matches_are_checked_and_placed_like_small_ones(rows: list[list[int]]) -> None:
    starts = np.concatenate(([0], np.cumsum([len(row) for row in rows])))
    values = np.concatenate(rows)
    # the same beside one match that is too large to compare each seat with each
    crowd = np.arange(200)
    wide = np.append(starts, starts[-1] + 200)
    small, large = (
        Matches.of_seats(
            offsets,
            np.concatenate([np.arange(n) for n in np.diff(offsets)]),
            np.append(values, crowd)[: offsets[-1]],
            prize=np.zeros(offsets[-1]),
        ).seats.place
        for offsets in (starts, wide)
    )
    assert small.tolist() == large[: len(small)].tolist()
    assert large[len(small) :].tolist() == (crowd + 1).tolist()
    with pytest.raises(MatchDataError, match="appears twice"):
        Matches.of_seats([0, 200], np.append(crowd[:199], 7), crowd)


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(1, 5), st.integers(0, 2)), min_size=1, max_size=30))
def test_pairs_seen_as_seats_and_back_are_the_same(rows: list[tuple[int, int, int]]) -> None:
    first = [i for i, _, _ in rows]
    second = [(i + d) % 6 for i, d, _ in rows]
    matches = Matches.of_pairs(first, second, np.array([h for _, _, h in rows]) / 2, players=Players.numbered(6))
    seats = matches.seats
    back = Matches.of_seats(seats.starts, seats.player, seats.place, players=matches.players)
    assert back.fingerprint == matches.fingerprint
    np.testing.assert_array_equal(back.counts, np.bincount(first + second, minlength=6))


def test_the_fingerprint_sees_every_change() -> None:
    def prints(names: str = "ab", score: float = 1, time: int = 1) -> str:
        return Matches.of_pairs([0], [1], [score], time=[time], players=Players.named(list(names))).fingerprint

    assert len({prints(), prints("ac"), prints(score=0), prints(time=2)}) == 4
    assert prints() == prints()
    three = [Matches.of_seats([0, 3], [0, 1, 2], [1, 2, 3], prize=prize) for prize in (None, [3, 2, 1], [3, 2, 0])]
    assert len({matches.fingerprint for matches in three}) == 3


def test_unknown_players_get_a_suggestion() -> None:
    players = Players.named(["Carlsen, Magnus", "Anand, Viswanathan"])
    with pytest.raises(LudometerError, match="did you mean 'Carlsen, Magnus'"):
        players.code("carlsen, magnus")
    with pytest.raises(LudometerError, match="did you mean 'Anand"):
        players.code("Anand")


def test_the_largest_component_is_kept_and_the_rest_counted() -> None:
    islands = Matches.of_pairs([0, 1, 3, 5], [1, 2, 4, 6], [1, 0, 1, 0.5], players=Players.named(list("abcdefg")))
    kept = keep_connected(islands)
    assert (len(kept.matches), kept.dropped_matches, kept.dropped_players, kept.n_components) == (2, 2, 4, 3)
    assert kept.matches.players.names.to_list() == ["a", "b", "c"]
    assert len(keep_connected(islands, min_players=2).matches) == 4
    with pytest.raises(MatchDataError, match="the largest has 3"):
        keep_connected(islands, min_players=4)


def test_components_of_several_players_hold_whole_matches() -> None:
    matches = Matches.of_seats([0, 3, 6, 8], [0, 1, 2, 2, 3, 4, 5, 6], [1, 2, 3, 1, 2, 3, 1, 2])
    kept = keep_connected(matches)
    assert (len(kept.matches), len(kept.matches.players), kept.dropped_matches) == (2, 5, 1)
    np.testing.assert_array_equal(kept.matches.seats.player, [0, 1, 2, 2, 3, 4])


def test_no_matches_are_an_error_for_components() -> None:
    with pytest.raises(MatchDataError, match="no matches"):
        keep_connected(Matches.of_pairs([], [], []))


@st.composite
def full_records(draw: st.DrawFn) -> Matches:
    """Records with every optional column, two-player or multiplayer, in teams or not."""
    sizes = draw(st.lists(st.integers(2, 5) if draw(st.booleans()) else st.just(2), min_size=1, max_size=8))
    n_matches, n_seats = len(sizes), sum(sizes)
    numbers = st.floats(-1e6, 1e6)
    names = st.sampled_from(["red", "blue", "42"])

    def column(values: st.SearchStrategy[Any], n: int) -> list[Any]:
        return draw(st.lists(values, min_size=n, max_size=n))

    # two sides, the first and the last seat on different ones; each side has one place
    side = [
        side
        for n in sizes
        for side in ("A", *draw(st.lists(st.sampled_from("AB"), min_size=n - 2, max_size=n - 2)), "B")
    ]
    better = np.repeat(column(st.sampled_from([-1, 0, 1]), n_matches), sizes)
    return Matches.of_seats(
        np.concatenate(([0], np.cumsum(sizes))),
        np.concatenate([draw(st.permutations(range(6)))[:n] for n in sizes]),
        np.where(np.array(side) == "A", better, 0),
        players=Players.named(list("abcdef")),
        time=column(st.integers(0, 3), n_matches),
        session=column(names, n_matches),
        weight=column(st.floats(0.1, 9), n_matches),
        advantage=draw(st.sampled_from(["order", column(st.sampled_from([-1, 0, 1]), n_matches)])),
        covariates={
            "surface": column(st.sampled_from(["clay", "grass"]), n_matches),
            "wind": column(numbers, n_matches),
        },
        score=column(numbers | st.just(np.nan), n_seats),
        side=side,
        seat_covariates={"age": column(numbers, n_seats)},
    )


def rows_of(matches: Matches) -> list[Any]:
    """Everything that is known about each match, in plain Python."""
    seats, per_seat = matches.seats, {"score": matches.score, **matches.seat_covariates}
    assert matches.time is not None
    assert matches.session is not None
    assert matches.weight is not None
    assert matches.side is not None
    rows = []
    for m in range(len(matches)):
        own = range(int(seats.starts[m]), int(seats.starts[m + 1]))
        rows.append(
            (
                int(matches.time[m]),
                matches.session.text[m],
                float(matches.weight[m]),
                int(matches.advantages[m]),
                matches.covariates["surface"].text[m],  # type: ignore[union-attr]  # labels
                float(matches.covariates["wind"][m]),  # type: ignore[index]  # numbers
                [
                    (
                        matches.players.names[int(seats.player[s])],
                        int(seats.place[s]),
                        matches.side.text[s],
                        *(str(values[s]) for values in per_seat.values()),  # type: ignore[index]  # numbers
                    )
                    for s in own
                ],
            )
        )
    return rows


@given(full_records(), st.data())
def test_every_column_follows_its_match(matches: Matches, data: st.DataObject) -> None:
    rows = rows_of(matches)
    assert [row[0] for row in rows] == sorted(row[0] for row in rows)
    kept = np.array(data.draw(st.lists(st.booleans(), min_size=len(matches), max_size=len(matches))), bool)
    assert rows_of(matches.take(kept)) == [row for row, keep in zip(rows, kept, strict=True) if keep]
    assert [row for part in matches.parts(3) for row in rows_of(part)] == rows
    assert rows_of(matches.recode(matches.counts > 0)) == rows
    digest = Fingerprint()
    for part in matches.parts(2):
        digest.add(part)
    assert digest.hexdigest() == matches.fingerprint == matches.recode(matches.counts > 0).fingerprint


@given(full_records())
def test_the_fingerprint_sees_every_column(matches: Matches) -> None:
    bare = Matches(matches.players, matches.table, matches.time)
    prints = {bare.fingerprint}
    for name in matches.columns:
        changed = replace(bare, **{name: getattr(matches, name)})
        assert changed.columns == (name,)
        prints.add(changed.fingerprint)
    assert len(prints) == 1 + len(matches.columns)


def test_absent_columns_cost_nothing_and_leave_old_fingerprints() -> None:
    pairs = Matches.of_pairs([0, 1, 2], [1, 2, 0], [1, 0.5, 0])
    assert pairs.columns == ()
    assert pairs.nbytes == 3 * (4 + 4 + 1)
    # as it was before records had further columns
    assert pairs.fingerprint == "c3b923699818ff01"
    seats = Matches.of_seats([0, 3], [0, 1, 2], [1, 2, 2], prize=[5, 1, 1], time=[7])
    assert seats.fingerprint == "2bbbe9111ea79d9b"
    scored = pairs.with_columns(score=np.array([[3, 1], [2, 2], [0, 4]]))
    assert isinstance(scored.table, Pairs)
    assert scored.nbytes == pairs.nbytes + 3 * 2 * 8
    assert scored.score is not None
    assert scored.score.tolist() == [3, 1, 2, 2, 0, 4]


def test_faults_of_columns_are_told_at_once() -> None:
    with pytest.raises(MatchDataError) as error:
        Matches.of_seats(
            [0, 3, 5],
            [0, 1, 2, 0, 0],
            [1, 2, 3, 1, np.nan],
            time=np.array(["NaT", "2024-01-01"], "datetime64[D]"),
            weight=[0, 1],
            advantage=[1, 2],
            session=["a", None],
            score=[1, 2, np.inf, 0, 0],
            side=["x", "x", "y", "z", "z"],
        )
    assert str(error.value).splitlines() == [
        "a place is not a number: 1 of 5 rows (row 5)",
        "a player appears twice in one match: 1 of 5 rows (row 5)",
        "a time is missing: 1 of 2 rows (row 1)",
        "a session is missing: 1 of 2 rows (row 2)",
        "a weight is not a number above 0: 1 of 2 rows (row 1)",
        "a score is infinite: 1 of 5 rows (row 3)",
        "a match has only one side: 1 of 2 matches (match 2)",
        "players of one side have different places: 2 of 5 rows (row 2, 5)",
        "an advantage is not 1, 0 or -1: 1 of 2 rows (row 2)",
    ]


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"weight": [1, 2]}, "2 values of weight, where 1 are needed"),
        ({"score": [1]}, "1 values of score, where 2 are needed"),
        ({"advantage": "white"}, "none, order, or 1, 0 or -1"),
        ({"covariates": {"player": [1]}}, "cannot be called player"),
        ({"score": ["many", "few"]}, "score must hold numbers"),
    ],
)
def test_columns_that_do_not_fit_are_refused(columns: dict[str, Any], message: str) -> None:
    with pytest.raises(MatchDataError, match=message):
        Matches.of_pairs([0], [1], [1], **columns)


def test_systems_that_rate_players_refuse_teams_and_name_what_they_ignore(caplog: pytest.LogCaptureFixture) -> None:
    doubles = Matches.of_seats([0, 4], [0, 1, 2, 3], [1, 1, 2, 2], side=["A", "A", "B", "B"])
    methods: dict[str, Any] = {
        "elo": partial(rate, system=Elo()),
        "measure": measure,
        "fit_orders": fit_orders,
        "best-fit": fit_best_elo,
    }
    for method, refused in methods.items():
        with pytest.raises(MatchDataError, match=f"{method} cannot use teams"):
            refused(doubles)
    alone = Matches.of_pairs([0], [1], [1], side=["Ann", "Ben"], score=[3, 1], session=[1])
    assert not alone.has_teams
    with caplog.at_level("INFO", logger="ludometer"):
        rate(alone, system=Elo())
    assert caplog.messages == ["elo ignores the session, score and side"]
