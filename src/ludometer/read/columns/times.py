"""When a match was played: dates and times as text, as numbers or typed, with one format for a whole column."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING

import numpy as np

from ludometer.arrays import Mask, Times
from ludometer.errors import LudometerError

if TYPE_CHECKING:
    import polars as pl

_DAYS = ("%Y-%m-%d", "%Y.%m.%d", "%Y/%m/%d", "%d.%m.%Y", "%m/%d/%Y", "%d/%m/%Y", "%m-%d-%Y", "%d-%m-%Y", "%Y-%m")
_SHORT_DAYS = ("%d.%m.%y", "%m/%d/%y", "%d/%m/%y", "%m-%d-%y", "%d-%m-%y")
_EARLIEST = date(1000, 1, 1)
"""Polars reads 05 as the year 5 where %Y is asked for: such a text has another format."""

_CLOCKS = ("%H:%M:%S", "%H:%M:%S%.f", "%H:%M", "%H:%M:%S%#z", "%H:%M:%S%.f%#z", "%H:%M%#z")
_EPOCHS = {"epoch seconds": (8e8, 4e9, 1_000_000), "epoch milliseconds": (8e11, 4e12, 1_000)}
"""Numbers between these (1995 to 2096) are seconds or milliseconds since 1970; how many microseconds each is."""

_DAY_NUMBER = "%Y%m%d"
_FIRST_DAY, _LAST_DAY = 15000101, 21001231
"""Whole numbers between these whose digits are months and days are dates: as numbers, months would differ in length."""

_MIXED = 0.01
"""A larger share of dates that fit only the other order of day and month is no accident."""

_NUMBER = r"^\s*[+-]?\d+(\.\d*)?\s*$"
_SAMPLE = 1_000


@dataclass(frozen=True)
class TimeFormat:
    """How the text of one column is read: "number", or a strftime pattern."""

    pattern: str

    @property
    def is_number(self) -> bool:
        """Numbers order matches as well as dates do."""
        return self.pattern == "number" or self.is_epoch

    @property
    def is_epoch(self) -> bool:
        """Numbers that count from 1970."""
        return self.pattern in _EPOCHS

    def describe(self) -> str:
        """In a reader's words: YYYY-MM-DD."""
        words = {"%Y": "YYYY", "%y": "YY", "%m": "MM", "%d": "DD", "%H": "hh", "%M": "mm", "%S": "ss", "%.f": ".f"}
        text = self.pattern.replace("%#z", "+zone")
        for code, word in words.items():
            text = text.replace(code, word)
        return self.pattern if self.is_epoch else "a number" if self.is_number else text


def find_time_format(column: pl.Series, *, name: str, given: str | None = None) -> TimeFormat | None:
    """The format that most of the first values have; None if they are neither dates nor numbers."""
    if given:
        return TimeFormat(given)
    present = column.filter(column.str.len_bytes() > 0)
    sample = present.head(_SAMPLE).str.strip_chars()
    if not len(sample):
        return None
    if sample.str.contains(_NUMBER).sum() * 2 > len(sample):
        return find_epoch(_parse_number(sample)) or TimeFormat("number")
    best, fitting = "", 0
    for pattern in _patterns():
        fit = _fit(sample, pattern)
        if fit > fitting:
            best, fitting = pattern, fit
        if fit == len(sample):
            break
    if not fitting:
        return None
    swapped = _swapped(best)
    if swapped != best:
        fits = {pattern: _fit(present, pattern) for pattern in (best, swapped)}
        _refuse_mixed(present, best, swapped, name)
        if fits[best] == fits[swapped]:
            raise LudometerError(
                f"{name}: dates such as {sample[0]!r} can be read in two ways. "
                f"Choose one with --date-format {_day_first(best)} or --date-format {_swapped(_day_first(best))}"
            )
        best = max(fits, key=lambda pattern: fits[pattern])
    return TimeFormat(best)


def find_epoch(column: pl.Series) -> TimeFormat | None:
    """The format of numbers that can only be times since 1970, or days such as 20150131; None for others.

    >>> import polars as pl
    >>> find_epoch(pl.Series([20150131, 20150201])).describe()
    'YYYYMMDD'
    """
    if not (column.dtype.is_integer() or column.dtype.is_float()) or not len(column.drop_nulls()):
        return None
    low, high = float(column.min()), float(column.max())  # type: ignore[arg-type]
    if column.dtype.is_integer() and _FIRST_DAY <= low <= high <= _LAST_DAY:
        month, day = column // 100 % 100, column % 100
        are_days = (month.is_between(1, 12) & day.is_between(1, 31)).all()
        return TimeFormat(_DAY_NUMBER) if are_days else None
    return next((TimeFormat(name) for name, (least, most, _) in _EPOCHS.items() if least <= low <= high <= most), None)


def _refuse_mixed(present: pl.Series, one: str, other: str, name: str) -> None:
    """Refuse a column in which day and month come in both orders: most of it would be read wrongly."""
    by_one, by_other = (_parse_text(present, pattern).is_not_null() for pattern in (one, other))
    only_one, only_other = present.filter(by_one & ~by_other), present.filter(by_other & ~by_one)
    fewer = min(len(only_one), len(only_other))
    if fewer and fewer > _MIXED * max(len(only_one), len(only_other)):
        told = ", ".join(
            f"{len(only):,} fit only {TimeFormat(pattern).describe()}, such as {only[0]!r}"
            for only, pattern in ((only_one, one), (only_other, other))
        )
        raise LudometerError(
            f"{name}: dates are written in two ways: {told}; {(by_one & by_other).sum():,} fit both. Write them "
            "all in one way; or, if the rows are in order, ignore the dates with --time none; or choose one format "
            f"with --date-format {_day_first(one)}, and the others become bad rows"
        )


def parse_times(column: pl.Series, form: TimeFormat | None) -> tuple[Times, Mask]:
    """Times of a column and where they are bad; text needs its format, typed columns none."""
    import polars as pl

    if column.dtype in (pl.Categorical, pl.Enum):
        column = column.cast(pl.String)
    if column.dtype == pl.String and len(column) > _SAMPLE and column.head(_SAMPLE).n_unique() < _SAMPLE // 4:
        # many matches a day, one after the other: each day is parsed once
        runs = column.rle().struct.unnest()
        if len(runs) < len(column) // 2:
            times, bad = parse_times(runs["value"], form)
            length = runs["len"].to_numpy()
            return np.repeat(times, length), np.repeat(bad, length)
    is_day = form is not None and form.pattern == _DAY_NUMBER and column.dtype.is_integer()
    if column.dtype == pl.String or is_day:
        assert form is not None
        column = _parse_number(column) if form.is_number else _parse_text(column.cast(pl.String), form.pattern)
    if isinstance(column.dtype, pl.Datetime):
        column = column.dt.replace_time_zone(None) if column.dtype.time_zone == "UTC" else _to_utc(column)
        column = column.cast(pl.Datetime("us"))
    elif column.dtype.is_float() or column.dtype.is_decimal():
        column = column.cast(pl.Float64)
        if form is not None and form.is_epoch:
            _, _, unit = _EPOCHS[form.pattern]
            column = (column.fill_nan(None) * unit).round().cast(pl.Int64, strict=False).cast(pl.Datetime("us"))
    elif column.dtype.is_integer():
        column = column.cast(pl.Int64, strict=False)
        if form is not None and form.is_epoch:
            _, _, unit = _EPOCHS[form.pattern]
            column = (column.clip(-(1 << 53), 1 << 53) * unit).cast(pl.Datetime("us"))
    bad = column.is_null().to_numpy()
    if column.dtype == pl.Float64:
        bad = bad | ~column.is_finite().fill_null(value=False).to_numpy()
    values = column.cast(pl.Int64) if column.dtype.is_temporal() else column
    array = values.fill_null(0).to_numpy()
    if column.dtype == pl.Date:
        array = array.view("datetime64[D]")
    elif column.dtype.is_temporal():
        array = array.view("datetime64[us]")
    return array, bad


def can_order(dtype: pl.DataType) -> bool:
    """Whether values of this type can stand for times without being parsed."""
    import polars as pl

    return dtype == pl.Date or isinstance(dtype, pl.Datetime) or dtype.is_numeric()


def _patterns() -> list[str]:
    timed = (f"{day}{between}{clock}" for day in _DAYS[:-1] for between in (" ", "T") for clock in _CLOCKS)
    return [*_DAYS, *_SHORT_DAYS, *timed]


def _swapped(pattern: str) -> str:
    """The pattern with day and month the other way round, where people write both."""
    for mark in "/-":
        for one, other in (("%m", "%d"), ("%d", "%m")):
            if pattern.startswith(f"{one}{mark}{other}"):
                return f"{other}{mark}{one}" + pattern[5:]
    return pattern


def _day_first(pattern: str) -> str:
    return pattern if pattern.startswith("%d") else _swapped(pattern)


def _fit(sample: pl.Series, pattern: str) -> int:
    return len(sample) - _parse_text(sample, pattern).null_count()


def _parse_text(text: pl.Series, pattern: str) -> pl.Series:
    import polars as pl

    try:
        parsed = _parse_pattern(text, pattern)
        if parsed.null_count() > text.null_count():
            # stripping costs more than parsing: only where something was not understood
            parsed = _parse_pattern(text.str.strip_chars(), pattern)
    except pl.exceptions.PolarsError as error:
        raise LudometerError(
            f"{pattern!r} is not a date format; write %Y, %m, %d for year, month, day, and %H, %M, %S for the clock"
        ) from error
    if "%Y" in pattern and parsed.dtype == pl.Date:
        return parsed.set(parsed < _EARLIEST, None)
    return parsed


def _parse_pattern(text: pl.Series, pattern: str) -> pl.Series:
    if pattern == "%Y-%m":
        return (text + "-01").str.to_date("%Y-%m-%d", strict=False)
    if "%H" not in pattern:
        return text.str.to_date(pattern, strict=False)
    if "%#z" in pattern:
        text = text.str.replace(r"[Zz]$", "+00:00")
        return text.str.to_datetime(pattern, time_unit="us", time_zone="UTC", strict=False)
    return text.str.to_datetime(pattern, time_unit="us", strict=False)


def _parse_number(column: pl.Series) -> pl.Series:
    """Whole numbers unless there are others: large ones would lose digits as floats."""
    import polars as pl

    text = column.str.strip_chars()
    whole, broken = text.cast(pl.Int64, strict=False), text.cast(pl.Float64, strict=False)
    return broken if (whole.is_null() & broken.is_finite()).any() else whole


def _to_utc(column: pl.Series) -> pl.Series:
    zone = column.dtype.time_zone  # type: ignore[attr-defined]
    return column if zone is None else column.dt.convert_time_zone("UTC").dt.replace_time_zone(None)
