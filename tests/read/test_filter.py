"""The row filter keeps the rows that a plain reading of it keeps, and says what is wrong with any other."""

from __future__ import annotations

import math
import operator
import subprocess
import sys
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any, TypeAlias

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ludometer.errors import LudometerError
from ludometer.read.filter import Where, parse_where

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

# --- The second route: rows as dictionaries, trees evaluated one row at a time. ---

Row: TypeAlias = dict[str, Any]

OPERATORS: dict[str, Callable[[Any, Any], bool]] = {
    "=": operator.eq,
    "==": operator.eq,
    "!=": operator.ne,
    "<>": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
FLIPPED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
SCHEMA: dict[str, pl.DataType] = {
    "wins": pl.Int64(),
    "small": pl.UInt8(),
    "score": pl.Float64(),
    "price": pl.Decimal(10, 2),
    "note": pl.String(),
    "Home Team": pl.Categorical(),
    "side": pl.Enum(["white", "black"]),
    "flag": pl.Boolean(),
    "day": pl.Date(),
    "moment": pl.Datetime("ms"),
    "année.1": pl.Datetime("ns", "Asia/Tokyo"),
}
NUMBERS = {"wins", "small", "score", "price"}
TIMES = {"day", "moment", "année.1"}
TEXTS = {"note", "Home Team", "side"}
WORDS = ["1", "2.5", "-3", "1e2", "nan", "x", "", "yes", "NO", "True", "f", "0", "it's", "white", "black", "Ajax"]
TRUTHS = {**dict.fromkeys(["true", "t", "yes", "y", "1"], True), **dict.fromkeys(["false", "f", "no", "n", "0"], False)}


@dataclass(frozen=True)
class Literal:
    """A literal as it is written, and the text, number or truth that it stands for."""

    written: str
    value: Fraction | str | bool


@dataclass(frozen=True)
class Compare:
    column: str
    symbol: str
    other: Literal | str
    literal_first: bool = False


@dataclass(frozen=True)
class Among:
    column: str
    values: tuple[Literal, ...]
    negated: bool


@dataclass(frozen=True)
class Null:
    column: str
    negated: bool


@dataclass(frozen=True)
class Bare:
    column: str


@dataclass(frozen=True)
class Negation:
    term: Tree


@dataclass(frozen=True)
class Chain:
    word: str
    terms: tuple[Tree, ...]


Tree: TypeAlias = Compare | Among | Null | Bare | Negation | Chain


def written(tree: Tree, inside: str = "") -> str:
    """The tree in the language of the filter, with parentheses only where the precedence asks for them."""
    match tree:
        case Compare(column, symbol, other, literal_first):
            right = named(other) if isinstance(other, str) else other.written
            return f"{right}{symbol} {named(column)}" if literal_first else f"{named(column)} {symbol}{right}"
        case Among(column, values, negated):
            listed = " , ".join(value.written for value in values)
            return f"{named(column)} {'NOT  in' if negated else 'In'}({listed})"
        case Null(column, negated):
            return f"{named(column)} is {'Not ' if negated else ''}NULL"
        case Bare(column):
            return named(column)
        case Negation(term):
            return f"Not {written(term, 'not')}"
        case Chain(word, terms):
            joined = f" {word} ".join(written(term, word) for term in terms)
            loose = inside == "not" or (inside == "and" and word == "or")
            return f"({joined})" if loose else joined


def named(column: str) -> str:
    return f"`{column}`" if " " in column else column


def true_for(tree: Tree, row: Row) -> bool:
    match tree:
        case Compare(column, symbol, other, literal_first):
            return compared(row, column, FLIPPED.get(symbol, symbol) if literal_first else symbol, other)
        case Among(column, values, False):
            return any(compared(row, column, "=", value) for value in values)
        case Among(column, values, True):
            return all(compared(row, column, "!=", value) for value in values)
        case Null(column, negated):
            return is_null(row[column]) != negated
        case Bare(column):
            return compared(row, column, "=", Literal("true", True))
        case Negation(term):
            return not true_for(term, row)
        case Chain("and", terms):
            return all(true_for(term, row) for term in terms)
        case Chain(_, terms):
            return any(true_for(term, row) for term in terms)
    raise AssertionError(tree)


def compared(row: Row, column: str, symbol: str, other: Literal | str) -> bool:
    left = row[column]
    if isinstance(other, str):
        right = row[other]
        if column in NUMBERS and not is_null(left) and not is_null(right):
            left, right = (float(left), float(right)) if "score" in (column, other) else (left, right)
        if column in TIMES and not is_null(left) and not is_null(right):
            left, right = moment(left), moment(right)
    else:
        left, right = one_kind(column, left, other.value)
    return not is_null(left) and not is_null(right) and OPERATORS[symbol](left, right)


def one_kind(column: str, cell: Any, value: Fraction | str | bool) -> tuple[Any, Any]:
    """A cell and the value of a literal as Python values that compare as the filter promises."""
    if is_null(cell):
        return None, value
    if isinstance(value, bool):
        return TRUTHS.get(cell.lower()) if column in TEXTS else bool(cell), value
    if column == "flag":
        return cell, TRUTHS[value.lower()] if isinstance(value, str) else bool(value)
    if column in TIMES:
        return moment(cell), moment(datetime.fromisoformat(str(value)))
    if column in NUMBERS:
        number = Fraction(value)
        return (cell, float(number)) if column == "score" else (Fraction(cell), number)
    if isinstance(value, str):
        return cell, value
    try:
        return float(cell), float(value)
    except ValueError:
        return None, value


def moment(value: date | datetime) -> datetime:
    if not isinstance(value, datetime):
        return datetime(value.year, value.month, value.day)
    return value.replace(tzinfo=None)


def is_null(cell: Any) -> bool:
    return cell is None or (isinstance(cell, float) and math.isnan(cell))


def frame(rows: list[Row]) -> pl.DataFrame:
    """The rows as a frame; moments in Tokyo are given in UTC, as literals are."""
    loose = SCHEMA | {"année.1": pl.Datetime("us", "UTC")}
    return pl.DataFrame(rows, schema=loose, orient="row").with_columns(
        pl.col("année.1").dt.convert_time_zone("Asia/Tokyo").dt.cast_time_unit("ns")
    )


INSTANTS = [
    None,
    datetime(2015, 1, 31),
    datetime(2015, 1, 31, 18, 30),
    datetime(2015, 1, 31, 18, 30, 5),
    datetime(2015, 1, 31, 18, 30, 5, 1000),
    datetime(1969, 12, 31, 23, 59),
]
CELLS: dict[str, list[Any]] = {
    "wins": [None, 0, 1, -1, 2, 3, -3, 100, 2**53, 2**53 + 1, 2**63 - 1, -(2**63)],
    "small": [None, 0, 1, 2, 3, 100, 255],
    "score": [None, math.nan, 0.0, -0.0, 1.0, 2.5, -2.5, 100.0, 1e30, math.inf, -math.inf],
    "price": [None, *(Decimal(cents) / 100 for cents in (0, 100, 250, -250, 125, 126, 10_000))],
    "note": [None, *WORDS],
    "Home Team": [None, *WORDS],
    "side": [None, "white", "black"],
    "flag": [None, True, False],
    "day": [None, date(2015, 1, 31), date(2015, 2, 1), date(1969, 12, 31)],
    "moment": INSTANTS,
    "année.1": INSTANTS,
}
NUMERALS = ["0", "1", "-1", "2", "255", "256", "-3", "2.5", ".5", "1.", "1e2", "-25e-1", "1.255", "1e30", "-1e30"]
NUMERALS += ["1e-30", "9007199254740993", "9223372036854775807", "9223372036854775808", "-9223372036854775808"]
DATES = [
    "2015-01-31",
    "2015-01-31 18:30",
    "2015-01-31T18:30:05",
    "2015-01-31 18:30:05.0005",
    "1969-12-31",
    "0001-01-01",
]
BOOLEANS = [Literal("true", True), Literal("FALSE", False)]


def literals_for(column: str) -> list[Literal]:
    numbers = [Literal(text, Fraction(text)) for text in NUMERALS]
    if column in NUMBERS:
        return [*numbers, *(Literal(f"'{text}'", text) for text in NUMERALS), *BOOLEANS]
    if column in TIMES:
        return [Literal(f"'{text}'", text) for text in DATES]
    if column == "flag":
        return [*BOOLEANS, Literal("1", Fraction(1)), Literal("0.0", Fraction(0)), Literal("'True'", "True")]
    return [*(Literal("'" + word.replace("'", "''") + "'", word) for word in WORDS), *numbers, *BOOLEANS]


def against_literals() -> list[Tree]:
    """Every symbol between every column and every literal that it can be compared with."""
    return [
        Compare(column, symbol, literal, literal_first)
        for column in SCHEMA
        for symbol in OPERATORS
        for literal in literals_for(column)
        for literal_first in (False, True)
    ]


def between_columns() -> list[Tree]:
    """Every symbol between every two columns that can be compared."""
    return [
        Compare(column, symbol, other)
        for kind in (NUMBERS, TIMES, TEXTS)
        for column in sorted(kind)
        for symbol in OPERATORS
        for other in sorted(kind)
    ]


def mixed_rows(count: int) -> list[Row]:
    """Rows in which each column runs through its cells, and each two columns through many of their pairs."""
    steps = (7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43)
    return [
        {name: cells[(row * step // 7) % len(cells)] for step, (name, cells) in zip(steps, CELLS.items(), strict=True)}
        for row in range(count)
    ]


def every_cell() -> list[Row]:
    """The fewest rows in which each column runs through its cells."""
    count = max(map(len, CELLS.values()))
    return [{name: cells[row % len(cells)] for name, cells in CELLS.items()} for row in range(count)]


# A comparison with a literal sees one cell of a row, so each cell once will do; one of two columns sees pairs.
@pytest.mark.parametrize(
    ("terms", "some"),
    [(against_literals(), every_cell()), (between_columns(), mixed_rows(150))],
    ids=["literal", "column"],
)
def test_every_comparison_keeps_the_rows_that_python_keeps(terms: list[Tree], some: list[Row]) -> None:
    data = frame(some)
    for name, cells in CELLS.items():
        assert {repr(row[name]) for row in some} == {repr(cell) for cell in cells}
    masks = data.select(
        parse_where(written(term)).expression(data.schema).alias(str(i)) for i, term in enumerate(terms)
    )
    for term, mask in zip(terms, masks, strict=True):
        assert mask.to_list() == [true_for(term, row) for row in some], written(term)


columns = st.sampled_from(sorted(SCHEMA))
leaves: st.SearchStrategy[Tree] = st.one_of(
    st.sampled_from([*against_literals(), *between_columns()]),
    columns.flatmap(
        lambda name: st.builds(
            Among,
            st.just(name),
            st.lists(st.sampled_from(literals_for(name)), min_size=1, max_size=4).map(tuple),
            st.booleans(),
        )
    ),
    st.builds(Null, columns, st.booleans()),
    st.builds(Bare, st.sampled_from(sorted(set(SCHEMA) - TIMES))),
)
trees: st.SearchStrategy[Tree] = st.recursive(
    leaves,
    lambda inner: (
        st.builds(Negation, inner)
        | st.builds(Chain, st.sampled_from(["and", "or"]), st.lists(inner, min_size=2, max_size=4).map(tuple))
    ),
    max_leaves=12,
)
rows: st.SearchStrategy[Row] = st.fixed_dictionaries({name: st.sampled_from(cells) for name, cells in CELLS.items()})


@settings(deadline=None, derandomize=True, max_examples=100)
@given(trees, st.lists(rows, max_size=6))
def test_a_filter_keeps_the_rows_that_a_reading_row_by_row_keeps(tree: Tree, extra: list[Row]) -> None:
    text = written(tree)
    some = [*extra, *mixed_rows(20)]
    data = frame(some)
    expression = parse_where(text).expression(data.schema)
    mask = data.select(keep=expression)["keep"]
    assert mask.dtype == pl.Boolean
    assert mask.to_list() == [true_for(tree, row) for row in some], text
    assert data.lazy().filter(expression).collect().equals(data.filter(mask))


# --- Any text at all. ---

words = st.sampled_from(["and", "OR", "not", "in", "is", "null", "true", "x", "día", "x.y", '"b c"', "'a'", "²"])
signs = st.sampled_from(["=", "!=", "<>", "<=", "<", "(", ")", ",", "'", '"', "`", "''", "-", "\x00", "\ud800"])
amounts = st.sampled_from(["1", "-1", "1e9", ".5", "5.", "1e99999999999", "1e99999999999999999999"])
pieces = words | signs | amounts


@settings(deadline=None, derandomize=True, max_examples=300)
@given(st.text() | st.lists(pieces).map(" ".join) | st.lists(pieces).map("".join))
def test_any_text_parses_or_raises_the_one_error(text: str) -> None:
    try:
        where = parse_where(text)
    except LudometerError:
        assert error_of(text).splitlines()[-1].strip() == "^"
        return
    assert where.text == text
    assert where.columns
    data = pl.DataFrame({name: [None, "1", "a"] for name in where.columns}, schema_overrides={"x": pl.String})
    assert data.select(keep=where.expression(data.schema))["keep"].null_count() == 0


@settings(deadline=None, derandomize=True, max_examples=200)
@given(
    st.sampled_from(["=", "!=", "<", "<=", ">", ">=", "in"]),
    st.sampled_from(
        ["1", "-1", "0.1", "true", "'a'", "'1e5'", "'2015-01-31'", "1e999999", "-1e-999999", "9" * 5000, "1e1000000000"]
    ),
    st.sampled_from(
        [
            *(pl.Int8(), pl.Int16(), pl.Int32(), pl.Int64(), pl.Int128()),
            *(pl.UInt8(), pl.UInt16(), pl.UInt32(), pl.UInt64(), pl.UInt128()),
            *(pl.Float32(), pl.Float64(), pl.Decimal(38, 0), pl.Decimal(38, 38), pl.Boolean(), pl.String()),
            *(pl.Date(), pl.Datetime("ms"), pl.Datetime("ns", "UTC"), pl.Time(), pl.Duration(), pl.Categorical()),
            *(pl.List(pl.Int8()), pl.Struct({"a": pl.Int8()}), pl.Binary(), pl.Null(), pl.Object()),
        ]
    ),
)
def test_any_literal_against_any_type_gives_an_answer_or_the_one_error(
    symbol: str, literal: str, dtype: pl.DataType
) -> None:
    data = pl.DataFrame({"x": pl.Series([None], dtype=dtype)})
    text = f"x {symbol} ({literal})" if symbol == "in" else f"x {symbol} {literal}"
    try:
        expression = parse_where(text).expression(data.schema)
    except LudometerError:
        assert "column 'x' holds" in error_of(text, data.schema)
        return
    assert data.select(keep=expression)["keep"].to_list() == [False]


# --- Named cases. ---


def kept(text: str, *values: object, dtype: pl.DataType | None = None) -> list[object]:
    """The values of a column `x` that a filter keeps."""
    data = pl.DataFrame({"x": pl.Series(values, dtype=dtype, strict=False)})
    return data.filter(parse_where(text).expression(data.schema))["x"].to_list()


def error_of(text: str, schema: Mapping[str, pl.DataType] | None = None) -> str:
    with pytest.raises(LudometerError) as caught:
        parse_where(text).expression(schema or {"x": pl.Int64()})
    return str(caught.value)


def test_columns_are_named_once_in_order_of_first_appearance_and_as_written() -> None:
    where = parse_where("1 < b and \"a b\" = b or not `c``d` is null or Élan.2 in (1) or B and 'not a name' = e")
    assert where.columns == ("b", "a b", "c`d", "Élan.2", "B", "e")


def test_filters_of_the_same_text_are_equal_and_show_no_tree() -> None:
    assert parse_where("x = 1") == parse_where("x = 1")
    assert repr(parse_where("x")) == "Where(text='x')"
    assert isinstance(hash(parse_where("x")), int)


def test_not_binds_tighter_than_and_which_binds_tighter_than_or() -> None:
    data = pl.DataFrame(
        [(a, b, c) for a in (0, 1) for b in (0, 1) for c in (0, 1)], schema=["a", "b", "c"], orient="row"
    )
    plain_readings: dict[str, Callable[[int, int, int], object]] = {
        "a or b and c": lambda a, b, c: a or (b and c),
        "a and b or c": lambda a, b, c: (a and b) or c,
        "not a and b or c": lambda a, b, c: ((not a) and b) or c,
        "not a = 1 or b and c": lambda a, b, c: a != 1 or (b and c),
        "not (a or b) and c": lambda a, b, c: not (a or b) and c,
        "NOT not not a AND (b OR c)": lambda a, b, c: not a and (b or c),
    }
    for text, plain in plain_readings.items():
        mask = data.select(keep=parse_where(text).expression(data.schema))["keep"].to_list()
        assert mask == [bool(plain(*row)) for row in data.rows()], text


def test_a_null_compares_as_false_and_only_is_null_sees_it() -> None:
    assert kept("x != 1", 1, 2, None) == [2]
    assert kept("not (x = 1)", 1, 2, None) == [2, None]
    assert kept("x in (1)", 1, 2, None) == [1]
    assert kept("x not in (1)", 1, 2, None) == [2]
    assert kept("not x in (1)", 1, 2, None) == [2, None]
    assert kept("x is null", 1, None) == [None]
    assert kept("x is not null", 1, None) == [1]
    assert kept("x", True, False, None) == [True]
    assert kept("not x", True, False, None) == [False, None]


def test_nan_counts_as_null() -> None:
    assert kept("x is not null", 1.0, math.nan, None) == [1.0]
    assert len(kept("x is null", 1.0, math.nan, None)) == 2
    assert kept("x > 0 or x <= 0 or x != 5", 1.0, math.nan) == [1.0]
    assert kept("x not in (5)", 1.0, math.nan) == [1.0]
    assert kept("x != 5", "1", "nan") == ["1"]


def test_text_that_holds_numbers_compares_with_numbers_as_numbers() -> None:
    assert kept("x < 10", "9", "10", "abc", "", None) == ["9"]
    assert kept("x = 1", "1", "1.0", "1e0", "one") == ["1", "1.0", "1e0"]
    assert kept("x = '1'", "1", "1.0") == ["1"]
    assert kept("x in (1, 'one')", "1.0", "one", "two") == ["1.0", "one"]
    assert kept("x not in (1, 2)", "1.0", "one", "3") == ["3"]


def test_numbers_compare_with_a_number_in_quotes_and_refuse_other_text() -> None:
    assert kept("x = '2.50'", 2.5, 3.0) == [2.5]
    assert error_of("x = 'abc'") == "column 'x' holds numbers (Int64), and 'abc' is not a number"
    assert "'nan' is not a number" in error_of("x = 'nan'")
    assert "'1_0' is not a number" in error_of("x in (1, '1_0')")


def test_large_integers_compare_exactly() -> None:
    big = 2**53
    assert kept(f"x = {big + 1}", big, big + 1, big + 2) == [big + 1]
    assert kept(f"x > {big}.5", big, big + 1) == [big + 1]
    assert kept(f"x in ({big + 1})", big, big + 1) == [big + 1]
    assert kept(f"x = {2**64 - 1}", 2**64 - 1, 2**64 - 2, dtype=pl.UInt64()) == [2**64 - 1]


@pytest.mark.parametrize("literal", ["256", "99999999999999999999", "1e400", "9" * 5000])
def test_a_literal_above_an_integer_type_is_above_all_its_values(literal: str) -> None:
    for symbol, expected in {"=": [], "!=": [0, 255], "<": [0, 255], "<=": [0, 255], ">": [], ">=": []}.items():
        assert kept(f"x {symbol} {literal}", 0, 255, None, dtype=pl.UInt8()) == expected
    assert kept(f"x in ({literal}, 255)", 0, 255, None, dtype=pl.UInt8()) == [255]
    assert kept(f"x not in ({literal})", 0, 255, None, dtype=pl.UInt8()) == [0, 255]


@pytest.mark.parametrize("literal", ["-1", "-0.5", "-99999999999999999999", "-1e400"])
def test_a_negative_literal_is_below_every_unsigned_value(literal: str) -> None:
    for symbol, expected in {"=": [], "!=": [0, 255], "<": [], "<=": [], ">": [0, 255], ">=": [0, 255]}.items():
        assert kept(f"x {symbol} {literal}", 0, 255, None, dtype=pl.UInt8()) == expected


def test_a_literal_beyond_floats_is_still_below_infinity() -> None:
    assert kept("x < 1e400", 1.0, math.inf) == [1.0]
    assert kept("x > -1e39", 1.0, -math.inf, dtype=pl.Float32()) == [1.0]
    assert kept("x = 1e400", math.inf) == []


def test_a_short_float_finds_the_literal_that_it_was_written_as() -> None:
    assert len(kept("x = 0.1", 0.1, 0.2, dtype=pl.Float32())) == 1
    assert len(kept("x in (0.1)", 0.1, 0.2, dtype=pl.Float32())) == 1


def test_decimals_compare_exactly_with_literals_finer_than_they_are() -> None:
    dtype = pl.Decimal(38, 2)
    low, high = Decimal("1.25"), Decimal("123456789012345678901234567890123456.78")
    assert kept("x > 1.2499", low, high, dtype=dtype) == [low, high]
    assert kept("x >= 1.251", low, high, dtype=dtype) == [high]
    assert kept("x = 1.250", low, high, dtype=dtype) == [low]
    assert kept(f"x = {high}", low, high, dtype=dtype) == [high]
    assert kept(f"x != {high}1", low, high, dtype=dtype) == [low, high]
    assert kept("x < 1e50 and x", low, high, Decimal(0), dtype=dtype) == [low, high]


def test_dates_compare_with_dates_and_times_in_quotes() -> None:
    first, second = date(2015, 1, 31), date(2015, 2, 1)
    assert kept("x = '2015-01-31'", first, second, None) == [first]
    assert kept("x < '2015-01-31 00:01'", first, second) == [first]
    assert kept("x <= '2015-01-31T23:59:59'", first, second) == [first]
    assert kept("x in ('2015-01-31', '2015-02-01 12:00')", first, second) == [first]


@pytest.mark.parametrize("unit", ["ms", "us", "ns"])
def test_times_compare_with_midnight_of_a_bare_date(unit: Any) -> None:
    midnight, later = datetime(2015, 1, 31), datetime(2015, 1, 31, 0, 0, 0, 1000)
    assert kept("x = '2015-01-31'", midnight, later, dtype=pl.Datetime(unit)) == [midnight]
    assert kept("x > '2015-01-31 00:00'", midnight, later, dtype=pl.Datetime(unit)) == [later]
    assert kept("x < '9999-12-31' and x > '0001-01-01'", midnight, dtype=pl.Datetime(unit)) == [midnight]


def test_a_literal_is_utc_for_times_with_a_time_zone() -> None:
    data = pl.DataFrame({"x": [datetime(2015, 1, 31, 9)]}).select(pl.col("x").dt.replace_time_zone("Asia/Tokyo"))
    assert data.filter(parse_where("x = '2015-01-31 00:00:00'").expression(data.schema)).height == 1


@pytest.mark.parametrize(
    "bad", ["2015-02-30", "2015", "2015-01-31 25:00", "2015-W05-6", "2015-01-31T10:00Z", "", "٢٠١٥-01-31"]
)
def test_a_bad_date_is_named(bad: str) -> None:
    assert f"'{bad}' is not a date" in error_of(f"x = '{bad}'", {"x": pl.Date()})
    assert f"'{bad}' is not a date" in error_of(f"x in ('{bad}')", {"x": pl.Datetime("us")})


def test_a_date_against_a_number_or_alone_says_how_to_write_it() -> None:
    assert error_of("x > 2015", {"x": pl.Date()}) == (
        "column 'x' holds dates, and 2015 is not a date in single quotes, such as '2015-01-31' or '2015-01-31 18:30'"
    )
    assert "such as '2015-01-31'" in error_of("x", {"x": pl.Datetime("us")})


def test_booleans_compare_with_truth_in_each_of_its_spellings() -> None:
    for text in ("x", "x = true", "x = 'TRUE'", "1 = x", "x != 0", "x in (true)", "x > false"):
        assert kept(text, True, False, None) == [True], text
    for text in ("not x and x is not null", "x = FALSE", "x = 'false'", "x = 0", "x != true", "x not in (1)"):
        assert kept(text, True, False, None) == [False], text
    assert error_of("x = 2", {"x": pl.Boolean()}) == "column 'x' holds true and false, and 2 is neither"
    assert "'maybe' is neither" in error_of("x = 'maybe'", {"x": pl.Boolean()})


@pytest.mark.parametrize("dtype", [pl.String(), pl.Categorical(), pl.Enum(["Yes", "f", "1", "0", "maybe"])])
def test_text_is_read_as_truth_where_truth_is_asked(dtype: pl.DataType) -> None:
    values = ("Yes", "f", "1", "0", "maybe", None)
    assert kept("x", *values, dtype=dtype) == ["Yes", "1"]
    assert kept("x = false", *values, dtype=dtype) == ["f", "0"]
    assert kept("x != true", *values, dtype=dtype) == ["f", "0"]
    assert kept("x = 'maybe' or x < 'A' and x > 0", *values, dtype=dtype) == ["1", "maybe"]


def test_a_number_alone_is_true_unless_zero() -> None:
    assert kept("x", 0, 1, -7, None) == [1, -7]
    assert kept("x = false", 0, 1, None) == [0]


def test_enums_are_ordered_as_text() -> None:
    assert kept("x < 'white'", "white", "black", dtype=pl.Enum(["white", "black"])) == ["black"]


def test_two_columns_compare_exactly_whatever_their_types() -> None:
    big = 2**53
    data = pl.DataFrame(
        {
            "signed": pl.Series([-1, big, big + 1], dtype=pl.Int64),
            "unsigned": pl.Series([2**64 - 1, big + 1, big + 1], dtype=pl.UInt64),
            "price": pl.Series([Decimal("-1.00"), Decimal(big), None], dtype=pl.Decimal(20, 2)),
            "narrow": pl.Series([Decimal("0.5")] * 3, dtype=pl.Decimal(38, 37)),
            "rough": pl.Series([-1.0, math.nan, 0.0]),
            "fine": pl.Series([1_000_000_001, 1, None], dtype=pl.Int64).cast(pl.Datetime("ns")),
            "coarse": pl.Series([1000, 0, 0], dtype=pl.Int64).cast(pl.Datetime("ms", "UTC")),
            "day": [date(1970, 1, 1), date(1970, 1, 1), None],
            "void": pl.Series([None, None, None], dtype=pl.Null),
        }
    )
    for text, expected in {
        "signed = unsigned": [False, False, True],
        "signed < unsigned": [True, True, False],
        "signed = price": [True, True, False],
        "signed > narrow": [False, True, True],
        "price = rough": [True, False, False],
        "rough != signed": [False, False, True],
        "fine > coarse": [True, True, False],
        "fine = coarse": [False, False, False],
        "day <= fine": [True, True, False],
        "day = coarse": [False, True, False],
        "void = void or void < day or rough != void": [False, False, False],
        "not void = signed": [True, True, True],
        "void in (1, 'a', true)": [False, False, False],
        "void is null": [True, True, True],
    }.items():
        assert data.select(keep=parse_where(text).expression(data.schema))["keep"].to_list() == expected, text


@pytest.mark.parametrize("other", [pl.String(), pl.Date(), pl.Boolean(), pl.List(pl.Int64())])
def test_two_columns_of_different_kinds_are_refused(other: pl.DataType) -> None:
    message = error_of("x = y", {"x": pl.Int64(), "y": other})
    assert message.startswith(f"column 'x' (Int64) cannot be compared with column 'y' ({other})")


def test_columns_match_exactly_or_else_in_any_case_if_only_one_does() -> None:
    data = pl.DataFrame({"Season": [1, 2], "SEASON": [2, 1], "Été": [1, 2]})
    assert data.filter(parse_where("SEASON = 1").expression(data.schema)).rows() == [(2, 1, 2)]
    assert data.filter(parse_where("ÉTÉ = 1").expression(data.schema)).rows() == [(1, 2, 1)]
    assert error_of("season = 1", data.schema) == (
        "'season' could be any of the columns 'Season', 'SEASON': spell it as they do"
    )


@pytest.mark.parametrize(
    "name", ["*", "^x.*$", "^", "^\n\v é$", "a b", "and", 'say "hi"', "`", "2015", "", "x-y", "日本 語"]
)
def test_any_name_can_be_quoted_and_means_that_column_alone(name: str) -> None:
    data = pl.DataFrame({"xx": [1, 1], name: [1, 2], "x": [1, 1]})
    for quote in '"`':
        text = f"{quote}{name.replace(quote, quote * 2)}{quote} = 2"
        assert parse_where(text).columns == (name,)
        assert data.filter(parse_where(text).expression(data.schema)).rows() == [(1, 2, 1)]


def test_an_unknown_column_lists_those_there_are_and_the_closest() -> None:
    assert error_of("sesaon = 2015", {"Season": pl.Int64(), "day": pl.Date()}) == (
        "there is no column 'sesaon'; did you mean 'Season'? The columns are: 'Season', 'day'."
        " If 'sesaon' is meant as text, put it in single quotes."
    )
    message = error_of('x = "Ajax"', {"x": pl.String(), **{f"c{index}": pl.Int64() for index in range(24)}})
    assert "there is no column 'Ajax'. The columns are: 'x', 'c0'," in message
    assert "'c18' and 5 more." in message
    assert "'c19'" not in message


@pytest.mark.parametrize("dtype", [pl.Time(), pl.Duration("us"), pl.List(pl.Int64()), pl.Binary()])
def test_other_types_can_only_be_tested_for_null(dtype: pl.DataType) -> None:
    assert "can only be tested with 'is null'" in error_of("x = 1", {"x": dtype})
    assert kept("x is null", None, dtype=dtype) == [None]


def test_strings_take_a_doubled_quote_and_any_letters() -> None:
    assert kept("x = 'it''s'", "it's", "its") == ["it's"]
    assert kept("x = '' or x = '\u00e9\n\u65e5\x00'", "", "\u00e9\n\u65e5\x00", "e") == ["", "\u00e9\n\u65e5\x00"]


@pytest.mark.parametrize("text", ["x<-1", "x < -1", "-1 > x", "x<-1.0", "x < -10E-1", "not x>=-1", "x < '-1'"])
def test_negative_numbers_need_no_space(text: str) -> None:
    assert kept(text, -2, -1, 0) == [-2]


@pytest.mark.parametrize(
    ("text", "caret", "problem"),
    [
        ("", 0, "expected a condition, such as season = 2015"),
        ("   ", 0, "expected a condition"),
        ("x =", 3, "expected a column or a value"),
        ("x = = 1", 4, "expected a column or a value"),
        ("x 2015", 2, "expected a comparison, 'and', 'or' or the end"),
        ("1 < x < 5", 6, "expected 'and', 'or' or the end"),
        ("x = 1)", 5, "expected 'and', 'or' or the end"),
        ("(x = 1", 6, "expected 'and', 'or' or ')'"),
        ("(x) = 1", 4, "expected 'and', 'or' or the end"),
        ("x = 1 and", 9, "expected a condition"),
        ("x = 1 or and y", 9, "expected a condition"),
        ("()", 1, "expected a condition"),
        ("1 = 1", 0, "a comparison needs a column"),
        ("x and 'a' < 'b'", 6, "a comparison needs a column"),
        ("true", 0, "a comparison needs a column"),
        ("1 in (1, 2)", 0, "a comparison needs a column"),
        ("x = null", 4, "write 'is null'"),
        ("x is 1", 5, "expected 'null' or 'not null'"),
        ("x is not 1", 9, "expected 'null'"),
        ("x not 1", 6, "expected 'in'"),
        ("x in 1", 5, "expected a list in parentheses"),
        ("x in ()", 6, "expected a value"),
        ("x in (1, )", 9, "expected a value"),
        ("x in (y)", 6, "expected a value"),
        ("x in (1 2)", 8, "expected ',' or ')'"),
        ("x = 'abc", 4, "this ' is never closed"),
        ("x = 'abc''", 4, "this ' is never closed"),
        ('"x = 1', 0, 'this " is never closed'),
        ("x-y = 1", 1, "goes in double quotes"),
        ("x = 1 && y", 6, "expected a column, a value, a comparison"),
        ("x = 1abc", 4, "this is not a number"),
        ("x = 1.2.3", 4, "this is not a number"),
        ("x = 1e99999999999999999999", 4, "this number is too large or too small"),
        ("x = '\udc80'", 5, "this is not valid Unicode text"),
    ],
)
def test_a_syntax_error_shows_the_text_and_where_it_went_wrong(text: str, caret: int, problem: str) -> None:
    first, shown, mark = error_of(text).split("\n")
    assert first.startswith("cannot read the filter: ")
    assert problem in first
    assert shown == "  " + text.replace("\udc80", " ")
    assert mark == " " * (caret + 2) + "^"


def test_the_caret_keeps_its_place_in_long_and_wide_texts() -> None:
    _, shown, mark = error_of("x = 1 and " * 1000 + "x 2 " + "and x" * 1000).split("\n")
    assert len(shown) < 120
    assert shown[mark.index("^") :].startswith("2 and x")
    assert error_of("日本 2").split("\n")[2] == "  " + " " * 5 + "^"
    assert error_of("x =\n= 2").split("\n")[1:] == ["  x = = 2", "      ^"]


def test_parentheses_nest_a_hundred_deep_and_no_deeper() -> None:
    deep = "not (x != 5 or x = 3 and " * 100 + "x = 1" + ")" * 100
    data = pl.DataFrame({"x": [1, 3, None]})
    mask = parse_where(deep).expression(data.schema)
    assert data.filter(mask).height + data.lazy().filter(~mask).collect().height == 3
    for text in ("(" * 101 + "x" + ")" * 101, "(" * 20_000, "not (" * 20_000):
        assert "parentheses nest deeper than 100" in error_of(text)


def test_chains_may_be_very_long() -> None:
    data = pl.DataFrame({"x": [0, 5, 20_000, None]})
    for text, expected in {
        " and ".join(f"x != {number}" for number in range(4_000)): [20_000],
        " or ".join(f"x = {number}" for number in range(4_000)): [0, 5],
        " or ".join(f"not (x = 0 or x is null) and x < {number}" for number in range(2_000)): [5],
        "not " * 10_001 + "x": [0, None],
        f"x not in ({', '.join(map(str, range(10_000)))})": [20_000],
    }.items():
        where = parse_where(text)
        assert where.columns == ("x",)
        mask = where.expression(data.schema)
        assert data.filter(mask)["x"].to_list() == expected
        assert data.lazy().filter(mask).collect()["x"].to_list() == expected


def test_long_texts_that_nearly_match_are_refused_without_delay() -> None:
    for text in ("1" * 200_000 + "a", "'" * 200_001, "1e" + "9" * 200_000, "x = '" + "a''" * 100_000):
        assert "cannot read the filter" in error_of(text)


def test_the_mask_is_as_long_as_the_frame_even_where_no_value_could_match() -> None:
    data = pl.DataFrame({"x": pl.Series([1, 2, None], dtype=pl.UInt8)})
    for text in ("x = -1", "x in (-1)", "x = -1 or x = 300", "x = 0.5"):
        assert data.select(keep=parse_where(text).expression(data.schema))["keep"].to_list() == [False] * 3
        assert data.clear().filter(parse_where(text).expression(data.schema)).height == 0


def test_importing_the_module_does_not_import_polars() -> None:
    code = "import sys, ludometer.read.filter as w; w.parse_where('x = 1'); sys.exit('polars' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_where_is_what_parsing_gives() -> None:
    assert isinstance(parse_where("x"), Where)
