"""Codes for players (and other words) in order of first appearance, across the batches of a file."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from ludometer.arrays import Codes, Counts
from ludometer.kernels.text.keys import Keys, number_keys, number_small_keys
from ludometer.players import Players

if TYPE_CHECKING:
    import polars as pl

MISSING = -1
_SMALL = 1 << 24
"""Integer ids below this are looked up in a plain table: at a million players three times as fast as hashing."""


@dataclass
class IntegerIndex:
    """Codes for integer ids."""

    chunks: list[pl.Series] = field(default_factory=list)
    n_known: int = 0
    _small: Codes = field(default_factory=lambda: np.full(1 << 12, MISSING, np.int32))
    _large: _Table | None = None

    def codes(self, columns: list[pl.Series]) -> Codes:
        """Codes of the ids in these columns of equal length, shape (rows, columns); a null is -1."""
        import polars as pl

        whole = (column.fill_null(0) if column.null_count() else column for column in columns)
        ids = np.column_stack([column.to_numpy() for column in whole]).astype(np.int64, copy=False)
        if self._large is None and ids.size and (ids.min() < 0 or ids.max() >= _SMALL):
            self._large = _Table()
            for chunk in self.chunks:
                self._large.number(chunk.to_numpy().view(np.uint64))
        if self._large is not None:
            codes, new = self._large.number(ids.reshape(-1).view(np.uint64))
        else:
            codes, new = self._look_up(ids.reshape(-1))
        if len(new):
            self.chunks.append(pl.Series(ids.reshape(-1)[new]))
            self.n_known += len(new)
        codes = codes.reshape(ids.shape)
        for seat, column in enumerate(columns):
            if column.null_count():
                codes[column.is_null().to_numpy(), seat] = MISSING
        return codes

    @property
    def players(self) -> Players:
        """All ids so far, by code."""
        return Players(tuple(self.chunks)) if self.chunks else Players.numbered(0)

    def _look_up(self, ids: Counts) -> tuple[Codes, Counts]:
        highest = int(ids.max(initial=0))
        if highest >= len(self._small):
            larger = np.full(1 << highest.bit_length(), MISSING, np.int32)
            larger[: len(self._small)] = self._small
            self._small = larger
        codes, new = np.empty(len(ids), np.int32), np.empty(len(ids), np.int64)
        known = number_small_keys(ids, self._small, self.n_known, codes, new)
        return codes, new[: known - self.n_known].copy()


@dataclass
class TextIndex:
    """Codes for words; white space around a word does not count, and an empty word is missing.

    Words are found by a 64-bit hash and then compared, so two words that share a hash are never mixed up. If it
    `folds`, words that differ only in capitals and in the blanks between them are one, called as it is written first.
    """

    folds: bool = False
    chunks: list[pl.Series] = field(default_factory=list)
    _raw: list[pl.Series] = field(default_factory=list)
    _code_of_raw: Codes = field(default_factory=lambda: np.empty(0, np.int32))
    _code_of_word: dict[str, int] | None = None
    _table: _Table = field(default_factory=lambda: _Table())  # noqa: PLW0108 - defined below
    _seed: int = 0

    def codes(self, columns: list[pl.Series]) -> Codes:
        """Codes of the words in these columns of equal length, shape (rows, columns); a null or empty one is -1."""
        import polars as pl

        if len({column.dtype for column in columns}) == 1 and isinstance(columns[0].dtype, pl.Enum):
            return self._codes_of_coded(columns)
        texts = [column if column.dtype == pl.String else _as_text(column) for column in columns]
        texts = [text.fill_null("") if text.null_count() else text for text in texts]
        while True:
            keys = self._hashes(texts)
            raw, new = self._table.number(keys.reshape(-1))
            if len(new):
                rows, seats = np.divmod(new, len(texts))
                fresh = pl.select(
                    pl.coalesce(
                        pl.when(pl.lit(pl.Series(seats == seat))).then(pl.lit(text.gather(rows)))
                        for seat, text in enumerate(texts)
                    )
                ).to_series()
                self._learn(fresh)
            raw = raw.reshape(keys.shape)
            if self._agree(texts, raw):
                return self._code_of_raw[raw]
            self._rehash()

    def _codes_of_coded(self, columns: list[pl.Series]) -> Codes:
        """The same for columns whose words have codes of their own: only the words that occur are looked at."""
        import polars as pl

        words = columns[0].dtype.categories  # type: ignore[attr-defined]  # an Enum, as was just checked
        own = np.column_stack(
            [column.to_physical().cast(pl.Int64).fill_null(len(words)).to_numpy() for column in columns]
        )
        number_of = np.full(len(words) + 1, MISSING, np.int32)
        numbers, new = np.empty(own.size, np.int32), np.empty(own.size, np.int64)
        n_words = number_small_keys(own.reshape(-1), number_of, 0, numbers, new)
        # in order of their first appearance, as in a column of texts; null is beyond the last
        met = own.reshape(-1)[new[:n_words]]
        codes = np.full(n_words, MISSING, np.int32)
        known = met < len(words)
        if known.any():
            codes[known] = self.codes([words.gather(met[known])])[:, 0]
        return codes[numbers].reshape(own.shape)

    @property
    def players(self) -> Players:
        """All words so far, by code."""
        return Players(tuple(self.chunks)) if self.chunks else Players.named([])

    @property
    def words(self) -> pl.Series:
        """The same as one column."""
        return self.players.names

    @property
    def n_known(self) -> int:
        """Words so far."""
        return sum(map(len, self.chunks))

    def _learn(self, fresh: pl.Series) -> None:
        import polars as pl

        stripped = fresh.str.strip_chars()
        n_known = self.n_known
        if self._code_of_word is None and not self.folds and (stripped == fresh).all() and not (stripped == "").any():
            added = n_known + np.arange(len(fresh), dtype=np.int32)
            self.chunks.append(fresh.rename("player"))
        else:
            if self._code_of_word is None:
                known = pl.concat(self.chunks).to_list() if self.chunks else []
                self._code_of_word = {word: code for code, word in enumerate(known)}
            table, names = self._code_of_word, []
            added = np.full(len(fresh), MISSING, np.int32)
            for place, word in enumerate(stripped):
                key = fold_name(word) if self.folds else word
                if word and key not in table:
                    table[key] = len(table)
                    names.append(word)
                added[place] = table[key] if word else MISSING
            if names:
                self.chunks.append(pl.Series("player", names, dtype=pl.String))
        self._raw.append(fresh)
        self._code_of_raw = np.concatenate((self._code_of_raw, added))

    def _agree(self, texts: list[pl.Series], raw: Codes) -> bool:
        import polars as pl

        if not self._raw:
            return True
        self._raw = [pl.concat(self._raw, rechunk=True)]
        numbers = (pl.lit(pl.Series(raw[:, seat].astype(np.uint32))) for seat in range(len(texts)))
        same = (
            (pl.lit(self._raw[0]).gather(number) == pl.lit(text)).all().alias(str(seat))
            for seat, (number, text) in enumerate(zip(numbers, texts, strict=True))
        )
        return all(pl.select(*same).row(0))

    def _hashes(self, texts: list[pl.Series]) -> Keys:
        """Hashes of all columns, which Polars computes in parallel."""
        import polars as pl

        columns = (pl.lit(text).hash(seed=self._seed).alias(str(seat)) for seat, text in enumerate(texts))
        keys = pl.select(*columns)
        return np.column_stack([keys.to_series(seat).to_numpy() for seat in range(len(texts))])

    def _rehash(self) -> None:
        """Two words shared a hash: number all again with another seed, keeping the codes that were given."""
        import polars as pl

        known = pl.concat(self._raw)
        by_word = dict(zip(known.to_list(), self._code_of_raw.tolist(), strict=True))
        words = pl.Series(list(by_word), dtype=pl.String)
        self._table = _Table()
        while self._table.n_known < len(words):
            self._seed += 1
            self._table = _Table()
            self._table.number(words.hash(seed=self._seed).to_numpy())
        self._raw, self._code_of_raw = [words], np.array(list(by_word.values()), np.int32)


def fold_name(name: str) -> str:
    """A name without differences in capitals and blanks.

    >>> fold_name("JEAN  Dupont")
    'jean dupont'
    """
    return " ".join(name.casefold().split())


def _as_text(column: pl.Series) -> pl.Series:
    """Values as text; whole floats, which a gap in a column of integers makes of them, as integers."""
    import polars as pl

    if not column.dtype.is_float():
        return column.cast(pl.String)
    whole = column.cast(pl.Int64, strict=False)
    text = pl.when(column == whole).then(whole.cast(pl.String)).otherwise(column.fill_nan(None).cast(pl.String))
    return pl.select(text).to_series()


@dataclass
class _Table:
    """A hash table that doubles when it is half full."""

    keys: Keys = field(default_factory=lambda: np.zeros(1 << 12, np.uint64))
    numbers: Codes = field(default_factory=lambda: np.full(1 << 12, MISSING, np.int32))
    n_known: int = 0

    def number(self, keys: Keys) -> tuple[Codes, Counts]:
        """The number of each key, and the positions where new keys appear first."""
        numbers, new = np.empty(len(keys), np.int32), np.empty(len(keys), np.int64)
        done, n_new = 0, 0
        while True:
            n_done, known = number_keys(keys[done:], self.keys, self.numbers, self.n_known, numbers[done:], new[n_new:])
            new[n_new : n_new + known - self.n_known] += done
            n_new += known - self.n_known
            self.n_known = known
            done += n_done
            if done == len(keys):
                return numbers, new[:n_new].copy()
            self._enlarge()

    def _enlarge(self) -> None:
        used = self.numbers >= 0
        order = np.argsort(self.numbers[used])
        old = self.keys[used][order]
        size = 4 * len(self.keys)
        self.keys, self.numbers = np.zeros(size, np.uint64), np.full(size, MISSING, np.int32)
        spare = np.empty(len(old), np.int32), np.empty(len(old), np.int64)
        number_keys(old, self.keys, self.numbers, 0, *spare)
