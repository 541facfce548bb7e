"""Codes follow first appearance, whatever the batches, ids and white space."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ludometer.read.columns import codes as index
from ludometer.read.columns.codes import IntegerIndex, TextIndex

words = st.lists(
    st.lists(st.sampled_from(["Ann", "Ben", " Ann", "Ben ", "", "  ", "Ünal", "Cem"]), max_size=8), max_size=4
)
ids = st.lists(st.lists(st.integers(-(2**63), 2**63 - 1) | st.integers(0, 9), max_size=8), max_size=4)


@given(words)
def test_words_are_coded_by_first_appearance_without_outer_space(batches: list[list[str]]) -> None:
    coder, known = TextIndex(), dict[str, int]()
    for batch in batches:
        codes = coder.codes([pl.Series(batch, dtype=pl.String)])[:, 0]
        expected = [known.setdefault(word.strip(), len(known)) if word.strip() else -1 for word in batch]
        assert codes.tolist() == expected
    assert coder.players.names.to_list() == list(known)


@given(ids)
def test_integers_are_coded_by_first_appearance(batches: list[list[int]]) -> None:
    coder, known = IntegerIndex(), dict[int, int]()
    for batch in batches:
        codes = coder.codes([pl.Series(batch, dtype=pl.Int64)])[:, 0]
        assert codes.tolist() == [known.setdefault(key, len(known)) for key in batch]
    assert coder.players.names.to_list() == [str(key) for key in known]


def test_two_columns_are_coded_row_by_row() -> None:
    codes = TextIndex().codes([pl.Series(["a", "c"]), pl.Series(["b", "a"])])
    assert codes.tolist() == [[0, 1], [2, 0]]


def test_missing_integers_get_no_code() -> None:
    coder = IntegerIndex()
    assert coder.codes([pl.Series([5, None, 7])])[:, 0].tolist()[1] == -1


def test_many_words_make_the_table_grow() -> None:
    names = [f"player {n}" for n in range(30_000)]
    coder = TextIndex()
    np.testing.assert_array_equal(coder.codes([pl.Series(names)])[:, 0], np.arange(30_000))
    np.testing.assert_array_equal(coder.codes([pl.Series(names[::-1])])[:, 0], np.arange(30_000)[::-1])


def test_words_that_share_a_hash_are_not_mixed_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """The hash is replaced by one that calls many words equal, until the seed changes."""
    real = pl.Expr.hash

    def poor(self: pl.Expr, seed: int = 0, **_: object) -> pl.Expr:
        return real(self) if seed > 1 else self.str.len_bytes().cast(pl.UInt64)

    monkeypatch.setattr(pl.Expr, "hash", poor)
    coder = TextIndex()
    assert coder.codes([pl.Series(["Ann", "Li"])])[:, 0].tolist() == [0, 1]
    assert coder.codes([pl.Series(["Li", "Ben", "Ann", "Cem", "Ben"])])[:, 0].tolist() == [1, 2, 0, 3, 2]
    assert coder.players.names.to_list() == ["Ann", "Li", "Ben", "Cem"]


def test_ids_may_outgrow_the_plain_table(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(index, "_SMALL", 100)
    coder = IntegerIndex()
    assert coder.codes([pl.Series([7, 99, 7])])[:, 0].tolist() == [0, 1, 0]
    assert coder.codes([pl.Series([100, 99, 10**15, 7])])[:, 0].tolist() == [2, 1, 3, 0]
