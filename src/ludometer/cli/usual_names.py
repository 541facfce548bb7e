"""A second match file beside FILE, as --on and --reference name one: its columns have the usual names."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ludometer.cli.options import load
from ludometer.errors import LudometerError

if TYPE_CHECKING:
    from ludometer.matches import Matches

_LACK = re.compile(r"no columns? holds? [^.;\n]+")


def load_by_usual_names(file: str, option: str) -> Matches:
    """The matches of the file that the option names; the options that name columns are those of FILE."""
    from ludometer.matches import Matches
    from ludometer.read.columns.names import ColumnsNotFound

    try:
        (group,) = load({"file": file}, connect=False)
    except ColumnsNotFound as error:
        lack = _LACK.search(str(error))
        listing = "".join(f"\n{line}" for line in str(error).splitlines() if line.startswith("The file has: "))
        raise LudometerError(
            f"{file} ({option}): {lack[0] if lack else 'columns are missing'}; this file is read by the usual names: "
            f"rename its columns to player_1, player_2, score_1{listing}"
        ) from None
    assert isinstance(group.matches, Matches)
    return group.matches
