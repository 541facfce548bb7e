"""The syntax of the row filter: its tokens, its literals, its parser, and the tree of conditions that it gives."""

from __future__ import annotations

import contextlib
import re
import unicodedata
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal, InvalidOperation
from typing import NamedTuple, TypeAlias

from ludometer.errors import LudometerError

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
        raise _fault(cursor.text, first.at, "this compares no column")
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
            raise _fault(text, at, "this number is out of reach")
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
