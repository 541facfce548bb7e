"""Columns inside columns: the fields of a structure are columns of their own, called by their path (a.b.c)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl


def find_fields(schema: Mapping[str, pl.DataType]) -> dict[str, tuple[pl.Expr, pl.DataType]]:
    """The fields of all structures by their path: where they are and what they hold; columns of that name come first.

    >>> import polars as pl
    >>> list(find_fields({"meta": pl.Struct({"tokens_a": pl.Int64, "tag": pl.Struct({"math": pl.Boolean})})}))
    ['meta.tokens_a', 'meta.tag.math']
    """
    import polars as pl

    found = {
        path: (place.alias(path), dtype)
        for name, dtype in schema.items()
        for path, place, dtype in _inside(name, pl.col(name), dtype)
    }
    return {path: field for path, field in found.items() if path not in schema}


def _inside(path: str, place: pl.Expr, dtype: pl.DataType) -> Iterator[tuple[str, pl.Expr, pl.DataType]]:
    import polars as pl

    if isinstance(dtype, pl.Struct):
        for field in dtype.fields:
            own, kind = place.struct.field(field.name), field.dtype
            # types may be classes; what is read asks instances
            inner = kind() if isinstance(kind, type) else kind
            if not inner.is_nested():
                yield f"{path}.{field.name}", own, inner
            yield from _inside(f"{path}.{field.name}", own, inner)
