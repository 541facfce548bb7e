"""The names behind codes: players, and labels such as sessions and sides."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from ludometer.arrays import Codes, Mask
from ludometer.errors import LudometerError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import polars as pl


Name = str | int
"""What a player may be called: text, or a whole number, which is shown as text."""


def as_name(name: Any) -> str:
    """A player's name as text.

    >>> as_name(7), as_name(np.int64(12)), as_name("Ann")
    ('7', '12', 'Ann')
    """
    if isinstance(name, str):
        return name
    if isinstance(name, int | np.integer) and not isinstance(name, bool):
        return str(int(name))
    raise LudometerError(f"a player's name is text or a whole number, not {name!r}")


@dataclass(frozen=True, eq=False)
class Players:
    """The names behind the codes; integer ids stay integers inside and become text on the way out.

    >>> Players.named(["Ann", "Ben"]).code("Ben")
    1
    """

    chunks: tuple[pl.Series, ...]

    @classmethod
    def named(cls, names: Sequence[Name]) -> Self:
        """Players with these names, in the order of their codes; the number 7 and the text "7" are the same name.

        >>> Players.named([7, 12]).names.to_list()
        ['7', '12']
        """
        import polars as pl

        texts = [as_name(name) for name in names]
        if len(set(texts)) < len(texts):
            raise LudometerError("two players have the same name")
        return cls((pl.Series("player", texts, dtype=pl.String),))

    @classmethod
    def numbered(cls, n_players: int) -> Self:
        """Players called 0, 1, 2 and so on."""
        import polars as pl

        return cls((pl.Series("player", np.arange(n_players)),))

    def __len__(self) -> int:
        return sum(map(len, self.chunks))

    @cached_property
    def names(self) -> pl.Series:
        """All names as text, by code."""
        import polars as pl

        return pl.concat([chunk.cast(pl.String) for chunk in self.chunks], rechunk=True).rename("player")

    def code(self, name: Name) -> int:
        """The code of a player; an unknown name is an error that offers the closest ones."""
        name = as_name(name).encode("utf-8", "replace").decode()
        found = (self.names == name).arg_max()
        if found is None or self.names[found] != name:
            raise LudometerError(self.describe_unknown(name))
        return found

    def describe_unknown(self, name: str) -> str:
        """Say that nobody has this name, and who has one like it."""
        return f"no player is called {name!r}{self._suggestion(name)}"

    def codes(self, names: Sequence[Name]) -> Codes:
        """The codes of these players; all unknown names are reported at once."""
        found, unknown = [], []
        for name in names:
            try:
                found.append(self.code(name))
            except LudometerError as error:
                unknown.append(str(error))
        if unknown:
            raise LudometerError("\n".join(unknown))
        return np.array(found, np.int32)

    def take(self, kept: Mask) -> Self:
        """Only these players, in the same order."""
        import polars as pl

        whole = pl.concat(self.chunks, rechunk=True) if len(self.chunks) > 1 else self.chunks[0]
        return type(self)((whole.filter(pl.Series(kept)),))

    def joined(self, others: Players) -> Self:
        """With other players after these."""
        import polars as pl

        return type(self)((pl.concat([self.names, others.names], rechunk=True),))

    def _suggestion(self, name: str) -> str:
        import difflib

        folded = {other.casefold(): other for other in reversed(self.names.to_list())}
        near = difflib.get_close_matches(name.casefold(), folded, n=3) or [
            other for other in folded if name.casefold() in other
        ]
        return "; did you mean " + " or ".join(repr(folded[other]) for other in near[:3]) + "?" if near else ""


@dataclass(frozen=True, eq=False)
class Labels:
    """A column of ids such as sessions or sides: a code per row, and what each code stands for.

    >>> Labels.of(["Monday", "Friday", "Monday"]).code.tolist()
    [0, 1, 0]
    """

    code: Codes
    """-1 where there is none."""
    names: pl.Series

    @classmethod
    def of(cls, values: Iterable[Any]) -> Self:
        """Codes in order of appearance; None, NaN and empty text mean that there is none."""
        import polars as pl

        known: dict[str, int] = {}
        codes = [
            -1 if value in (None, "") or str(value) == "nan" else known.setdefault(str(value), len(known))
            for value in values
        ]
        return cls(np.array(codes, np.int32), pl.Series("label", list(known), dtype=pl.String))

    def __len__(self) -> int:
        return len(self.code)

    @property
    def text(self) -> pl.Series:
        """The label of each row."""
        import polars as pl

        codes = pl.Series("code", self.code)
        return self.names.gather(codes.set(codes < 0, None))

    def with_empty(self) -> Self:
        """The same with an empty label where there is none."""
        import polars as pl

        if (self.code >= 0).all():
            return self
        names = pl.concat([self.names, pl.Series([""])])
        return type(self)(np.where(self.code < 0, len(self.names), self.code).astype(np.int32), names)
