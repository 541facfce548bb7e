"""ludometer advise: which matches would tell most."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from ludometer.cli.declared import argument, group, option, takes
from ludometer.cli.loading import columns_used, load, named
from ludometer.cli.screen import listen, note_system
from ludometer.cli.shared import FileOptions, JsonOption, check_targets
from ludometer.ratings.catalogue import DEFAULT_SYSTEM, make_system

if TYPE_CHECKING:
    from ludometer.ratings.advice import Goal


@dataclass(frozen=True)
class AdviseOptions:
    """All of them."""

    file: str = argument()
    reading: FileOptions = group(FileOptions)
    goal: Goal = option(
        "--goal",
        type=click.Choice(["ratings", "ranks", "top"]),
        default="ratings",
        help="What to learn: the ratings of all players, their order, or who is first.",
    )
    player_name: str | None = option(
        "--for", metavar="NAME", help="Compare only matches of this player; the goal ratings is then their rating."
    )
    min_matches: int = option(
        "--min-matches",
        type=click.IntRange(1),
        default=1,
        metavar="N",
        help="Compare only players with at least N matches.",
    )
    top: int = option("--top", type=click.IntRange(1), default=10, metavar="N", help="List the N best matches.")
    as_round: bool = option(
        "--round", is_flag=True, help="Choose a round: nobody plays twice, and each match counts on those above it."
    )
    system: str | None = option(
        "--system",
        show_default="that of rate if it states errors, else static",
        metavar="SYSTEM",
        help="Rating system that states errors: static, glicko2 or state-space.",
    )
    json: JsonOption = group(JsonOption)


@click.command("advise")
@takes(AdviseOptions)
def command(options: AdviseOptions) -> None:
    """Find the matches whose results would reduce uncertainty most after the last match of FILE.

    Each line shows a match, the forecast of its first player's score, the error of the two players' difference now and
    as it is to be expected after the match, and the share of the goal's doubt that the match would remove.

    \b
    ludometer advise league.csv
    ludometer advise league.csv --goal top --top 5
    ludometer advise league.csv --round --top 12
    ludometer advise league.csv --for "Ann Smith" --system glicko2 --json advice.json
    """
    listen()
    from ludometer.ratings.advice import advise
    from ludometer.report.presenter import Part, present_parts

    check_targets([options.file], options.json.json_file)
    system = None if options.system is None else make_system(options.system)
    parts: list[Part] = []
    for matches in load(options.file, options.reading, uses=columns_used(system or make_system(DEFAULT_SYSTEM))):
        with named(matches):
            advice = advise(
                matches.record,
                system=system,
                goal=options.goal,
                player=options.player_name,
                min_matches=options.min_matches,
                n_matches=options.top,
                as_round=options.as_round,
            )
        if not parts:
            note_system(advice.provenance.method, advice.provenance.parameters)
        parts.append(Part(matches.value, advice, data=matches.count(advice)))
    present_parts(parts, options.json.output, by=options.reading.by)
