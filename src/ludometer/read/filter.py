"""The row filter --where: a small language that is parsed, never run, into a Polars expression.

Polars' own `sql_expr` would not do: it refuses to compare text with numbers, and every column of a CSV file is text;
`not (x = 1)` drops rows without x; `1 < x < 5` and `x = null` pass silently; and its messages do not say where.
"""

from __future__ import annotations

import contextlib
import math
import re
import sys
import unicodedata
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import Decimal, InvalidOperation
from operator import eq, ge, gt, le, lt, ne
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from ludometer.errors import LudometerError

if TYPE_CHECKING:
    from collections.abc import Mapping

    import polars as pl

Value: TypeAlias = Decimal | str | bool

_DEEPEST = 100
_LARGEST_EXPONENT = 10**9
_KEYWORDS = frozenset({"and", "or", "not", "in", "is", "null"})
_MIRRORED = {"=": "=", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}

# The quantifiers are possessive so that no text, however long, makes the matching backtrack.
_NUMBER = r"[-+]?+(?:[0-9]++(?:\.[0-9]*+)?+|\.[0-9]++)(?:[eE][-+]?+[0-9]++)?+"
_TOKEN = re.compile(
    rf"""(?P<space>\s++)
    | (?P<number>{_NUMBER}(?![\w.]))
    | (?P<word>[^\W\d][\w.]*+)
    | (?P<quoted>'(?:[^']++|'')*+' | "(?:[^"]++|"")*+" | `(?:[^`]++|``)*+`)
    | (?P<symbol>==|!=|<>|<=|>=|[=<>(),])""",
    re.VERBOSE,
)
_TIME = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[ T][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{1,6})?)?)?")


class Token(NamedTuple):
    """A word of the language: a 'name', a 'literal', the 'end', or a keyword or symbol that is its own kind."""

    kind: str
    at: int
    value: Value = ""


@dataclass(frozen=True)
class Condition:
    """A column held against a name, a literal or, for `in` and `not in`, some literals."""

    column: Token
    symbol: str
    others: tuple[Token, ...] = ()


@dataclass(frozen=True)
class Group:
    """Conditions joined by `and` within an alternative and by `or` between them: one level of parentheses."""

    alternatives: tuple[tuple[Condition | Group, ...], ...]
    negated: bool


def read_tokens(text: str) -> list[Token]:
    """Cut a filter into tokens, the last of which is its end.

    >>> [token.kind for token in read_tokens("season <> 2015 AND playoff")]
    ['name', '!=', 'literal', 'and', 'name', 'end']
    """
    # Undecodable bytes of a command line arrive as lone surrogates, which Polars cannot take.
    if broken := re.search("[\ud800-\udfff]", text):
        raise _fault(text, broken.start(), "this is not valid Unicode text")
    tokens = []
    at = 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            raise _fault(text, at, _unreadable(text[at]))
        if match.lastgroup != "space":
            tokens.append(_token(text, at, str(match.lastgroup), match.group()))
        at = match.end()
    return [*tokens, Token("end", len(text.rstrip()))]


def read_tree(text: str) -> Group:
    """Read a filter into a tree of its conditions.

    >>> [[each.symbol for each in both] for both in read_tree("a = 1 and 2 < b or c is null").alternatives]
    [['=', '>'], ['is null']]
    """
    cursor = _Cursor(text)
    # A stack of its own, not recursion, so that the depth of the caller does not matter.
    groups: list[tuple[bool, list[list[Condition | Group]]]] = [(False, [[]])]
    while True:
        negated = False
        while cursor.accept("not"):
            negated = not negated
        if opening := cursor.accept("("):
            if len(groups) > _DEEPEST:
                raise _fault(text, opening.at, f"parentheses nest deeper than {_DEEPEST}")
            groups.append((negated, [[]]))
            continue
        condition, comparable = _condition(cursor)
        groups[-1][1][-1].append(Group(((condition,),), negated=True) if negated else condition)
        while len(groups) > 1 and cursor.accept(")"):
            negated, alternatives = groups.pop()
            groups[-1][1][-1].append(Group(tuple(map(tuple, alternatives)), negated))
            comparable = False
        closing, ending = ("end", "the end") if len(groups) == 1 else (")", "')'")
        expected = f"{'a comparison, ' if comparable else ''}'and', 'or' or {ending}"
        joint = cursor.demand("and", "or", closing, expected=expected)
        if joint.kind == "end":
            return Group(tuple(map(tuple, groups[0][1])), negated=False)
        if joint.kind == "or":
            groups[-1][1].append([])


def read_number(word: str) -> Decimal | None:
    """Read a number exactly; None if it is none, or has an exponent near those at which a Decimal itself gives up.

    >>> read_number("-2.50"), read_number("nan")
    (Decimal('-2.50'), None)
    """
    with contextlib.suppress(InvalidOperation):
        number = Decimal(word if re.fullmatch(_NUMBER, word) else "nan")
        return number if number.is_finite() and abs(number.adjusted()) <= _LARGEST_EXPONENT else None
    return None


def read_time(word: str) -> Decimal | None:
    """Read a date or time of UTC as the seconds since 1970; None if it is neither.

    >>> read_time("1970-01-02 00:00"), read_time("1970-02-30")
    (Decimal('86400.000000'), None)
    """
    with contextlib.suppress(ValueError):
        # `fromisoformat` alone would take offsets and week dates, too.
        since = datetime.fromisoformat(word if _TIME.fullmatch(word) else "") - datetime(1970, 1, 1)
        return Decimal(f"{since // timedelta(microseconds=1)}e-6")
    return None


class _Cursor:
    """How far the reading of a text has got."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = read_tokens(text)
        self.index = 0

    def accept(self, *kinds: str) -> Token | None:
        token = self.tokens[self.index]
        if token.kind not in kinds:
            return None
        self.index += 1
        return token

    def demand(self, *kinds: str, expected: str) -> Token:
        token = self.accept(*kinds)
        if token is None:
            raise _fault(self.text, self.tokens[self.index].at, f"expected {expected}")
        return token


def _condition(cursor: _Cursor) -> tuple[Condition, bool]:
    """One condition, and whether a comparison could still follow it, as it can a column on its own."""
    first = cursor.demand("name", "literal", expected="a condition, such as season = 2015")
    if symbol := cursor.accept(*_MIRRORED):
        if null := cursor.accept("null"):
            raise _fault(cursor.text, null.at, "nothing compares with null: write 'is null' or 'is not null'")
        second = cursor.demand("name", "literal", expected="a column or a value")
        if first.kind == "name":
            return Condition(first, symbol.kind, (second,)), False
        if second.kind == "name":
            return Condition(second, _MIRRORED[symbol.kind], (first,)), False
    if first.kind != "name":
        raise _fault(cursor.text, first.at, "a comparison needs a column")
    if cursor.accept("is"):
        negation = cursor.accept("not")
        cursor.demand("null", expected="'null'" if negation else "'null' or 'not null'")
        return Condition(first, "is not null" if negation else "is null"), False
    if negation := cursor.accept("not"):
        cursor.demand("in", expected="'in'")
    elif cursor.accept("in") is None:
        return Condition(first, "=", (Token("literal", first.at, True),)), True
    cursor.demand("(", expected="a list in parentheses, such as (1, 2, 3)")
    values = [cursor.demand("literal", expected="a value")]
    while cursor.demand(",", ")", expected="',' or ')'").kind == ",":
        values.append(cursor.demand("literal", expected="a value"))
    return Condition(first, "not in" if negation else "in", tuple(values)), False


def _token(text: str, at: int, group: str, word: str) -> Token:
    if group == "number":
        number = read_number(word)
        if number is None:
            raise _fault(text, at, "this number is too large or too small")
        return Token("literal", at, number)
    if group == "quoted":
        quote = word[0]
        return Token("literal" if quote == "'" else "name", at, word[1:-1].replace(quote * 2, quote))
    if group == "symbol":
        return Token({"==": "=", "<>": "!="}.get(word, word), at)
    keyword = word.lower()
    if keyword in ("true", "false"):
        return Token("literal", at, keyword == "true")
    return Token(keyword, at) if keyword in _KEYWORDS else Token("name", at, word)


def _unreadable(character: str) -> str:
    if character in "'\"`":
        return f"this {character} is never closed"
    if character in "0123456789":
        return "this is not a number (the name of a column that starts with a digit goes in double quotes)"
    return (
        "expected a column, a value, a comparison, 'and', 'or' or 'not'"
        " (a column name with anything but letters, digits, _ and . goes in double quotes)"
    )


def _fault(text: str, at: int, problem: str) -> LudometerError:
    start = max(0, at - 60)
    before, after = ("".join(c if c.isprintable() else " " for c in part) for part in (text[start:at], text[at:][:40]))
    before = "..." + before if start else before
    after = after + "..." if len(text) > at + 40 else after
    # A wide letter takes two places on a terminal and a combining one none: the caret would miss its mark.
    wide = sum(unicodedata.east_asian_width(c) in "WF" for c in before)
    places = len(before) + wide - sum(unicodedata.combining(c) > 0 for c in before)
    return LudometerError(f"cannot read the filter: {problem}\n  {before}{after}\n  {' ' * places}^")


def parse_where(text: str) -> Where:
    """Read a filter, checking its syntax only: whether its columns exist is for `Where.expression` to say.

    >>> parse_where("season = 2015 and not playoff").columns
    ('season', 'playoff')
    """
    return Where(text, read_tree(text))


@dataclass(frozen=True)
class Where:
    """A filter of rows whose syntax is right, not yet held against any columns.

    >>> import polars as pl
    >>> matches = pl.DataFrame({"season": [2014, 2015, 2015, None], "playoff": ["no", "no", "yes", "no"]})
    >>> matches.filter(parse_where("season = 2015 and not playoff").expression(matches.schema)).rows()
    [(2015, 'no')]
    """

    text: str
    tree: Group = field(repr=False, compare=False)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that the filter names, as it spells them, in order of first appearance.

        >>> parse_where("home = 'Ajax' or 3 < goals or home is null").columns
        ('home', 'goals')
        """
        return tuple(dict.fromkeys(str(token.value) for token in read_tokens(self.text) if token.kind == "name"))

    def expression(self, schema: Mapping[str, pl.DataType]) -> pl.Expr:
        """The filter as a boolean expression, never null, for a frame with these columns.

        >>> import polars as pl
        >>> goals = pl.DataFrame({"goals": [1, 4, None]})
        >>> goals.select(parse_where("not goals > 3").expression(goals.schema)).to_series().to_list()
        [True, False, True]
        """
        return _expression(self.tree, schema)


_MOST_LISTED = 20
_OPERATORS = {"=": eq, "!=": ne, "<": lt, "<=": le, ">": gt, ">=": ge}
_TRUE_WORDS = ("true", "t", "yes", "y", "1")
_FALSE_WORDS = ("false", "f", "no", "n", "0")
_LARGEST_FLOATS = {"Float16": 65504.0, "Float32": (2 - 2.0**-23) * 2.0**127, "Float64": sys.float_info.max}
_POWERS = {"ms": 3, "us": 6, "ns": 9}


@dataclass(frozen=True)
class _Column:
    """The values of a column seen as one type, in steps of 10 ** -power where they count something smaller."""

    name: str
    values: pl.Expr
    dtype: pl.DataType
    power: int = 0


def _expression(node: Condition | Group, schema: Mapping[str, pl.DataType]) -> pl.Expr:
    import polars as pl

    if isinstance(node, Group):
        # Horizontal functions take any number of terms, where a chain of operators would overflow Polars' stack.
        both = [[_expression(each, schema) for each in joined] for joined in node.alternatives]
        either = [pl.all_horizontal(terms) if len(terms) > 1 else terms[0] for terms in both]
        found = pl.any_horizontal(either) if len(either) > 1 else either[0]
        return ~found if node.negated else found
    column = _resolved(node.column, schema)
    if node.symbol in ("is null", "is not null"):
        return column.values.is_null() if node.symbol == "is null" else column.values.is_not_null()
    if node.symbol in ("in", "not in"):
        return _membership(column, [token.value for token in node.others], negated=node.symbol == "not in")
    if node.others[0].kind == "name":
        left, right = _comparable(column, _resolved(node.others[0], schema))
        return _compared(left, node.symbol, right)
    column, value = _alike(column, node.others[0].value)
    symbol, limit = _within(column, node.symbol, value)
    return _compared(column.values, symbol, pl.lit(limit, dtype=column.dtype))


def _compared(left: pl.Expr, symbol: str, right: pl.Expr) -> pl.Expr:
    if symbol in ("all", "none"):
        # Made from the column, since a literal would not be as long as the frame.
        return left.is_not_null() if symbol == "all" else left.is_null() & False
    test: pl.Expr = _OPERATORS[symbol](left, right)
    return test.fill_null(False)


def _resolved(token: Token, schema: Mapping[str, pl.DataType]) -> _Column:
    """The column that a name means, its NaN made null and its text plain text."""
    import polars as pl

    name = _matched(str(token.value), schema)
    # `pl.col` takes these names as patterns over all columns.
    values = pl.selectors.by_name(name).as_expr() if name == "*" or name.startswith("^") else pl.col(name)
    dtype = schema[name]
    if dtype.is_float():
        values = values.fill_nan(None)
    if isinstance(dtype, pl.Categorical | pl.Enum):
        return _Column(name, values.cast(pl.String), pl.String())
    return _Column(name, values, dtype)


def _matched(name: str, schema: Mapping[str, pl.DataType]) -> str:
    folded = name.casefold()
    same = [name] if name in schema else [column for column in schema if column.casefold() == folded]
    if len(same) == 1:
        return same[0]
    if same:
        raise LudometerError(f"{name!r} could be any of the columns {', '.join(map(repr, same))}: spell it as they do")
    import difflib

    spellings = {column.casefold(): column for column in schema}
    close = difflib.get_close_matches(folded, spellings, n=1)
    guess = f"; did you mean {spellings[close[0]]!r}?" if close else "."
    listed = ", ".join(map(repr, list(schema)[:_MOST_LISTED])) or "none"
    more = f" and {len(schema) - _MOST_LISTED} more" if len(schema) > _MOST_LISTED else ""
    raise LudometerError(
        f"there is no column {name!r}{guess} The columns are: {listed}{more}."
        f" If {name!r} is meant as text, put it in single quotes."
    )


def _membership(column: _Column, literals: list[Value], *, negated: bool) -> pl.Expr:
    import polars as pl

    # Text is held against numbers as numbers and against text as text, so one list may see a column in several ways.
    views: dict[str, tuple[_Column, list[int | float | str | bool]]] = {}
    for literal in literals:
        view, value = _alike(column, literal)
        symbol, limit = _within(view, "=", value)
        members = views.setdefault(str(view.dtype), (view, []))[1]
        members.extend([limit] if symbol == "=" else [])
    found = [view.values.is_in(pl.Series([members], dtype=pl.List(view.dtype))) for view, members in views.values()]
    tests = [(~each if negated else each).fill_null(False) for each in found]
    return pl.all_horizontal(tests) if negated else pl.any_horizontal(tests)


def _alike(column: _Column, value: Value) -> tuple[_Column, Value]:
    """A column and a literal as values of one type, or the reason why they cannot be."""
    import polars as pl

    name, dtype = column.name, column.dtype
    if dtype.is_numeric() and isinstance(value, bool):
        return _Column(name, column.values != 0, pl.Boolean()), value
    if dtype.is_numeric():
        return _counted(column), _number(column, value)
    if dtype == pl.Boolean:
        return column, _truth(column, value)
    if dtype in (pl.String, pl.Null):
        return _as_literal(column, value), value
    if isinstance(dtype, pl.Date | pl.Datetime):
        return _counted(column), _seconds(column, value)
    raise LudometerError(f"column {name!r} holds {dtype} values, which can only be tested with 'is null'")


def _counted(column: _Column) -> _Column:
    """A column of decimals, dates or times as whole numbers of its own steps, which compare exactly."""
    import polars as pl

    counts = column.values.to_physical()
    if isinstance(column.dtype, pl.Decimal):
        return _Column(column.name, counts, pl.Int128(), column.dtype.scale)
    if isinstance(column.dtype, pl.Datetime):
        return _Column(column.name, counts, pl.Int64(), _POWERS[column.dtype.time_unit])
    if isinstance(column.dtype, pl.Date):
        return _Column(column.name, counts.cast(pl.Int64) * 86400, pl.Int64())
    return column


def _as_literal(column: _Column, value: Value) -> _Column:
    """A column of text as the type of a literal."""
    import polars as pl

    text = column.values.cast(pl.String)
    if isinstance(value, bool):
        word = text.str.to_lowercase()
        truth = pl.when(word.is_in(_TRUE_WORDS)).then(True).when(word.is_in(_FALSE_WORDS)).then(False)
        return _Column(column.name, truth.otherwise(None), pl.Boolean())
    if isinstance(value, Decimal):
        return _Column(column.name, text.cast(pl.Float64, strict=False).fill_nan(None), pl.Float64())
    return _Column(column.name, text, pl.String())


def _number(column: _Column, value: Value) -> Decimal:
    number = value if isinstance(value, Decimal) else read_number(str(value))
    if number is None:
        raise _mismatch(column, f"numbers ({column.dtype})", value, "is not a number")
    return number


def _truth(column: _Column, value: Value) -> bool:
    word = str(int(value)) if isinstance(value, Decimal) and value in (0, 1) else str(value).lower()
    if word not in _TRUE_WORDS + _FALSE_WORDS:
        raise _mismatch(column, "true and false", value, "is neither")
    return word in _TRUE_WORDS


def _seconds(column: _Column, value: Value) -> Decimal:
    seconds = read_time(value) if isinstance(value, str) else None
    if seconds is None:
        problem = "is not a date in single quotes, such as '2015-01-31' or '2015-01-31 18:30'"
        raise _mismatch(column, "dates", value, problem)
    return seconds


def _mismatch(column: _Column, held: str, value: Value, problem: str) -> LudometerError:
    shown = "'" + value.replace("'", "''") + "'" if isinstance(value, str) else str(value).lower()
    return LudometerError(f"column {column.name!r} holds {held}, and {shown} {problem}")


def _within(column: _Column, symbol: str, value: Value) -> tuple[str, int | float | str | bool]:
    """The same comparison with a value that the column's type holds, or 'none' or 'all' where it equals none."""
    if not isinstance(value, Decimal):
        return symbol, value
    low, high = _bounds(column.dtype)
    sign, digits, exponent = value.as_tuple()
    # Built from its digits, since arithmetic would round it.
    steps = Decimal((sign, digits, int(exponent) + column.power))
    limit = low if steps < low else high
    if low <= steps <= high:
        # A float column is held against the float nearest to the literal, so that 0.1 finds 0.1.
        limit = float(steps) if isinstance(high, float) else math.floor(steps)
        if isinstance(high, float) or limit == steps:
            return symbol, limit
    moved = {"<=": "<", ">": ">="} if steps < low else {"<": "<=", ">=": ">"}
    return {"=": "none", "!=": "all", **moved}.get(symbol, symbol), limit


def _bounds(dtype: pl.DataType) -> tuple[int, int] | tuple[float, float]:
    kind = str(dtype)
    if kind in _LARGEST_FLOATS:
        return -_LARGEST_FLOATS[kind], _LARGEST_FLOATS[kind]
    unsigned, _, bits = kind.partition("Int")
    high = (1 << int(bits) - (not unsigned)) - 1
    return (0 if unsigned else -high - 1), high


def _comparable(column: _Column, other: _Column) -> tuple[pl.Expr, pl.Expr]:
    """Two columns as values of one type, or the reason why they cannot be."""
    import polars as pl

    dtypes = (column.dtype, other.dtype)
    if pl.Null in dtypes:
        nothing = pl.when(column.values.is_null() & False).then(0)
        return nothing, nothing
    if all(dtype.is_numeric() for dtype in dtypes):
        common = _common(*dtypes)
        return column.values.cast(common, strict=False), other.values.cast(common, strict=False)
    if all(isinstance(dtype, pl.Date | pl.Datetime) for dtype in dtypes):
        # Polars would compare in the coarser unit of the two and so lose what the finer one holds.
        left, right = (c.values.cast(pl.Int128) * 10 ** (9 - c.power) for c in map(_counted, (column, other)))
        return left, right
    if all(dtype == pl.String for dtype in dtypes):
        return column.values, other.values
    raise LudometerError(
        f"column {column.name!r} ({column.dtype}) cannot be compared with column {other.name!r} ({other.dtype}):"
        " both must hold numbers, or both dates, or both text"
    )


def _common(dtype: pl.DataType, other: pl.DataType) -> pl.DataType:
    """A type that holds the values of two numeric types exactly where there is one, or else Float64."""
    import polars as pl

    if dtype == other:
        return dtype
    if dtype.is_integer() and other.is_integer():
        return pl.Int128()
    if dtype.is_float() or other.is_float():
        return pl.Float64()
    scale = max(each.scale if isinstance(each, pl.Decimal) else 0 for each in (dtype, other))
    whole = max(
        each.precision - each.scale if isinstance(each, pl.Decimal) else len(str(_bounds(each)[1]))
        for each in (dtype, other)
    )
    return pl.Decimal(38, scale) if whole + scale <= 38 else pl.Float64()
