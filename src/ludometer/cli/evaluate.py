"""ludometer evaluate: rating systems compared by predicting before updating."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import click

from ludometer.cli.declared import argument, group, option, takes
from ludometer.cli.loading import columns_used, load, named
from ludometer.cli.screen import listen, note
from ludometer.cli.shared import FileOptions, JsonOption, check_targets, stream_option
from ludometer.wording import percent

if TYPE_CHECKING:
    from ludometer.ratings import Evaluation


@dataclass(frozen=True)
class EvaluateOptions:
    """All of them."""

    file: str = argument()
    reading: FileOptions = group(FileOptions)
    stream: bool = stream_option()
    systems: tuple[str, ...] = option(
        "--system",
        multiple=True,
        metavar="SYSTEM",
        help="Rating system, such as elo:k=32; may be repeated.  [default: those above]",
    )
    since: str | None = option(
        "--from",
        metavar="DATE",
        help="Score only matches from this time on; systems are tuned to earlier ones and learn from them.  "
        "[default: the second half if systems are tuned, else all]",
    )
    bins: int = option(
        "--bins", type=click.IntRange(1, 100), default=10, metavar="N", help="Number of bins in the calibration curve."
    )
    tune: bool = option(
        "--tune/--no-tune",
        default=True,
        help="Tune the parameters that are not given to the matches before those that are scored.",
    )
    timing: bool = option("--timing", is_flag=True, help="Show how many seconds each system took.")
    json: JsonOption = group(JsonOption)


@click.command("evaluate")
@takes(EvaluateOptions)
def command(options: EvaluateOptions) -> None:
    """Compare rating systems on FILE by their forecasts, each made before its match, best first.

    Each system is tuned to the first part of the record and scored on the rest; what it scores untuned stands beside
    it. Parameters that are given, as in elo:k=16, stay as they are. Systems: elo, best-fit, static, dynamic,
    dynamic-shrinking, ics, smith, glicko2; for multiplayer matches elo and best-fit. Differences are in log loss from
    the best system, with standard errors clustered by player.

    \b
    ludometer evaluate games.csv
    ludometer evaluate games.csv --system elo --system elo:k=16 --system glicko2:tau=0.5
    ludometer evaluate games.csv --no-tune
    ludometer evaluate results.parquet --from 2015-01-01 --json -
    """
    listen()
    from ludometer.ratings import evaluate
    from ludometer.ratings.catalogue import all_systems, make_system
    from ludometer.report.presenter import Part, present_parts

    check_targets([options.file], options.json.json_file)
    prizes = options.reading.prize_rule
    systems = [make_system(text, prizes=prizes) for text in options.systems]
    uses = columns_used(*(systems or all_systems(multiplayer=False, prizes=prizes)))
    parts = []
    for matches in load(options.file, options.reading, stream=options.stream, uses=uses):
        with named(matches):
            result = evaluate(
                matches.matches,
                systems=options.systems or None,
                since=options.since,
                bins=options.bins,
                prizes=prizes,
                tune=options.tune,
            )
        fitted = [score.system for score in result.systems if score.parameters.get("in_sample")]
        if fitted:
            note(f"fitted to the matches they are scored on: {', '.join(fitted)}; --from DATE fits to earlier ones")
        text, document = partial(_text, result, options.timing), partial(result.document, timing=options.timing)
        parts.append(Part(matches.value, result, text, document, matches.count(result)))
    present_parts(parts, options.json.output, by=options.reading.by)


def _text(evaluation: Evaluation, timing: bool) -> str:
    """The systems, and what the favourites of the best one scored, beside what was expected."""
    from ludometer.wording import format_table

    best = evaluation.ranking[0]
    rows = (
        [
            f"{percent(row['low'], 0)} to {percent(row['high'], 0)}",
            percent(row["forecast"]),
            percent(row["score"]),
            f"{row['n']:,}",
        ]
        for row in best.calibration.to_frame().iter_rows(named=True)
    )
    table = format_table(["favourite expected", "on average", "scored", "matches"], rows)
    seconds = [f"{score.system}: {score.seconds:.3f} seconds" for score in evaluation.systems] if timing else []
    return "\n".join([evaluation.summary(), *seconds, "", f"Do the forecasts of {best.system} come true?", table])
