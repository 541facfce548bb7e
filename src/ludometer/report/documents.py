"""Results as JSON documents, the contract with other programs; `schemas/` describes each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ludometer.result import Provenance


def provenance_document(origins: Sequence[Provenance], command: str) -> dict[str, Any]:
    """How to make the results again; several fingerprints stand in the order of the results."""
    data = [str(origin.data) for origin in origins if origin.data is not None]
    return {"version": origins[0].version, "command": command, "seed": origins[0].seed, "data": ",".join(data) or None}
