"""What `chess play` does: an engine against itself, written as games with evaluations."""

from __future__ import annotations

from itertools import islice
from typing import Any

import click

from ludometer.chess.commands.options import check_targets, search_of
from ludometer.chess.commands.source import load_games
from ludometer.cli.options import counting, note


def play_and_write(options: dict[str, Any]) -> None:
    """The command `chess play`."""
    from ludometer.chess.engine.analysis import recall_evaluations
    from ludometer.chess.engine.cache import default_path
    from ludometer.chess.engine.play import play_itself
    from ludometer.chess.record.evaluations import MATE
    from ludometer.chess.report.annotation import annotate
    from ludometer.moves import measure_gains
    from ludometer.report.files import replacing

    check_targets(options)
    search, cache = search_of(options), options["cache"] or default_path()
    openings = load_games(options["file"]).games
    with counting("play", "positions") as on_positions:
        games, settings = play_itself(
            islice(openings, options["n_games"]),
            engine=options["engine"],
            search=search,
            cache=cache,
            n_plies=options["opening_plies"],
            max_plies=options["max_plies"],
            on_positions=on_positions,
        )
    evaluations, _ = recall_evaluations(games, settings, cache=cache, mate_value=MATE)
    with replacing(options["out"]) as draft:
        draft.write_text(annotate(games, evaluations), encoding="utf-8")
    note(f"wrote {options['out']}")
    click.echo(f"{evaluations.describe()}, by {settings.describe()}")
    click.echo(measure_gains(evaluations).summary())
