"""A fingerprint of match data, to tell whether two results rest on the same record."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from ludometer.kernels.keys import number_small_keys
from ludometer.matches import Pairs

if TYPE_CHECKING:
    from ludometer.arrays import Codes, Counts
    from ludometer.matches import Matches
    from ludometer.players import Players


class Fingerprint:
    """A hash over who met whom, when and how it ended, batch by batch.

    Players are numbered anew in the order in which they play, so that neither the order of rows in a file nor
    players in rows that were left out make a difference, and batches give what the whole gives.
    """

    def __init__(self) -> None:
        self._columns: dict[str, Any] = {}
        self._players: Players | None = None
        self._number_of = np.full(1 << 10, -1, np.int32)
        self._seen: list[Counts] = []
        self._n_seen = 0

    def add(self, batch: Matches) -> Self:
        """Take in the next batch."""
        # in slices: numbering all of a long record at once would need several times its own memory
        parts = batch.parts() if isinstance(batch.table, Pairs) else (batch,)
        for part in parts:
            self._add(part)
        self._players = batch.players
        return self

    def hexdigest(self) -> str:
        """Sixteen hexadecimal digits."""
        whole = hashlib.sha256()
        for name, digest in self._columns.items():
            whole.update(name.encode() + digest.digest())
        if self._players is not None and self._seen:
            names = self._players.names.gather(np.concatenate(self._seen))
            whole.update(names.str.len_bytes().to_numpy().astype(np.int64).tobytes())
            whole.update("".join(names.to_list()).encode())
        return whole.hexdigest()[:16]

    def _add(self, batch: Matches) -> None:
        table = batch.table
        if isinstance(table, Pairs):
            codes = np.column_stack((table.first, table.second)).ravel()
            columns = {"player": self._numbers(codes), "halves": table.halves}
        else:
            columns = {"player": self._numbers(table.player), "size": table.sizes, "place": table.place}
            columns |= {} if table.prize is None else {"prize": table.prize}
        if batch.time is not None:
            numeric = np.float64 if batch.time.dtype.kind != "M" else "datetime64[us]"
            columns["time"] = batch.time.astype(numeric)
        for name, column in columns.items():
            digest = self._columns.setdefault(name, hashlib.sha256(name.encode()))
            digest.update(np.ascontiguousarray(column).view(np.uint8).data)

    def _numbers(self, codes: Codes) -> Codes:
        highest = int(codes.max(initial=0))
        if highest >= len(self._number_of):
            larger = np.full(1 << highest.bit_length(), -1, np.int32)
            larger[: len(self._number_of)] = self._number_of
            self._number_of = larger
        ids, numbers, new = codes.astype(np.int64), np.empty(len(codes), np.int32), np.empty(len(codes), np.int64)
        known = number_small_keys(ids, self._number_of, self._n_seen, numbers, new)
        self._seen.append(ids[new[: known - self._n_seen]])
        self._n_seen = known
        return numbers
