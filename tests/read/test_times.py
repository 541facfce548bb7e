"""One format for a whole column of dates; what cannot be told apart is asked for."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from ludometer.errors import LudometerError
from ludometer.read.columns.times import TimeFormat, find_time_format, parse_times


def parse(values: list[str]) -> np.ndarray[tuple[int], np.dtype[np.datetime64]]:
    column = pl.Series(values)
    times, bad = parse_times(column, find_time_format(column, name="date"))
    assert not bad.any()
    return times


@pytest.mark.parametrize(
    ("values", "first"),
    [
        (["2015-02-01", "2014-12-31"], "2015-02-01"),
        (["2015.02.01"], "2015-02-01"),
        (["2015/02/01"], "2015-02-01"),
        (["1.2.2015"], "2015-02-01"),
        (["01/02/2015", "31/12/2015"], "2015-02-01"),
        (["01/02/2015", "12/31/2015"], "2015-01-02"),
        ([" 2015-02-01 "], "2015-02-01"),
        (["2015-02"], "2015-02-01"),
        (["01.02.99", "01.02.05"], "1999-02-01"),
        (["13/02/05"], "2005-02-13"),
        (["13-02-2020"], "2020-02-13"),
        (["2015-02-01 13:05"], "2015-02-01T13:05"),
        (["2015-02-01T13:05:09.5"], "2015-02-01T13:05:09.500000"),
        (["2015-02-01T13:05:09Z"], "2015-02-01T13:05:09"),
        (["2015-02-01T13:05:09+02:00"], "2015-02-01T11:05:09"),
    ],
)
def test_dates_are_understood(values: list[str], first: str) -> None:
    assert parse(values)[0] == np.datetime64(first)


def test_numbers_stay_numbers() -> None:
    assert parse(["20150102", "7"]).tolist() == [20150102, 7]
    assert parse(["1.5", "2"]).tolist() == [1.5, 2.0]


@pytest.mark.parametrize("run", [1, 7, 500])
def test_many_matches_a_day_are_parsed_like_few(run: int) -> None:
    days = np.repeat(np.arange("2020-01-01", "2020-02-10", dtype="datetime64[D]"), run)
    days = np.resize(days, 3_000)
    text = [str(day) for day in days]
    text[1_234] = "x"
    times, bad = parse_times(pl.Series(text), TimeFormat("%Y-%m-%d"))
    assert np.flatnonzero(bad).tolist() == [1_234]
    np.testing.assert_array_equal(times[~bad], days[~bad])


def test_large_whole_numbers_keep_their_digits_beside_a_bad_value() -> None:
    times, bad = parse_times(pl.Series(["1500000000000000003", "x", "1500000000000000001"]), TimeFormat("number"))
    assert times.dtype == np.int64
    assert times[0] - times[2] == 2
    assert bad.tolist() == [False, True, False]


def test_dates_that_can_be_read_in_two_ways_are_asked_about() -> None:
    for dates in (["01/02/2015", "03/04/2015"], ["01/02/20", "02/03/20"], ["01-02-2020"]):
        with pytest.raises(LudometerError, match="--date-format %d"):
            find_time_format(pl.Series(dates), name="date")


def test_a_given_format_is_taken() -> None:
    assert find_time_format(pl.Series(["01/02/2015"]), name="date", given="%d/%m/%Y") == TimeFormat("%d/%m/%Y")


@pytest.mark.parametrize("values", [["R32", "QF"], ["14:30"], [""], []])
def test_what_is_no_time_has_no_format(values: list[str]) -> None:
    assert find_time_format(pl.Series(values, dtype=pl.String), name="round") is None


def test_typed_columns_need_no_format() -> None:
    zoned = pl.Series(["2015-02-01 13:05"]).str.to_datetime("%Y-%m-%d %H:%M", time_zone="Europe/Berlin")
    assert parse_times(zoned, None)[0][0] == np.datetime64("2015-02-01T12:05")
    times, bad = parse_times(pl.Series([1.0, None, float("nan")]), None)
    assert bad.tolist() == [False, True, True]
    assert times[0] == 1.0
