"""ludometer engines: matches between engines, with errors from pairs of games and sequential tests."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import click

from ludometer.cli.anchors import AnchorOption
from ludometer.cli.declared import Number, argument, group, option, refuse_options, takes
from ludometer.cli.loading import load, named
from ludometer.cli.screen import listen, note
from ludometer.cli.shared import FileOptions, JsonOption, check_targets
from ludometer.errors import LudometerError

if TYPE_CHECKING:
    from ludometer.ratings.engines.sprt import EloModel
    from ludometer.ratings.engines.study import Hypotheses


@dataclass(frozen=True)
class TestOptions:
    """A sequential test."""

    sprt: str | None = option(
        "--sprt", metavar="ELO0,ELO1", help="Test sequentially whether the gain is ELO0 or ELO1, such as 0,2."
    )
    alpha: float = option(
        "--alpha",
        type=Number(0, 0.5, min_open=True, max_open=True, example=0.05),
        default=0.05,
        metavar="P",
        help="Probability of accepting ELO1 where ELO0 is true.",
    )
    beta: float = option(
        "--beta",
        type=Number(0, 0.5, min_open=True, max_open=True, example=0.05),
        default=0.05,
        metavar="P",
        help="Probability of accepting ELO0 where ELO1 is true.",
    )
    elo: EloModel = option(
        "--elo",
        type=click.Choice(["logistic", "normalised"]),
        default="logistic",
        help="Unit of the two hypotheses: Elo points, or normalised Elo, which counts in SDs of a game.",
    )

    @property
    def hypotheses(self) -> Hypotheses | None:
        """What is tested."""
        from ludometer.ratings.engines.study import Hypotheses

        if self.sprt is None:
            refuse_options("there is no --sprt", refused=("alpha", "beta", "elo"))
            return None
        try:
            low, high = (float(word) for word in self.sprt.split(","))
        except ValueError:
            raise LudometerError(f"--sprt {self.sprt}: write two numbers, such as 0,2") from None
        return Hypotheses(low, high, self.alpha, self.beta, self.elo)


@dataclass(frozen=True)
class EnginesOptions:
    """All of them."""

    file: str = argument()
    reading: FileOptions = group(FileOptions)
    pairs: str = option(
        "--pairs",
        default="order",
        metavar="WHAT",
        help="Which games share an opening: neighbours with colours reversed (order), those with one value of a "
        "COLUMN, such as round or fen, or none.",
    )
    engine: str | None = option(
        "--engine",
        metavar="NAME",
        show_default="of two engines, the first in the file",
        help="Take the view of this engine, and test it.",
    )
    test: TestOptions = group(TestOptions)
    anchors: AnchorOption = group(AnchorOption)
    json: JsonOption = group(JsonOption)


@click.command("engines")
@takes(EnginesOptions)
def command(options: EnginesOptions) -> None:
    """Compare engines by the games of FILE: Elo differences with errors, likelihood of superiority, ratings.

    Games that share an opening with colours reversed are one observation (pentanomial), so that the luck of the opening
    does not count twice. The first player is White.

    \b
    ludometer engines match.pgn
    ludometer engines match.pgn --pairs round --engine dev --sprt 0,2
    ludometer engines gauntlet.pgn --pairs fen --anchor Stockfish=3600 --json gauntlet.json
    ludometer engines games.csv --pairs none --sprt 0,5 --elo normalised
    """
    listen()
    from ludometer.ratings.engines.study import study_engines
    from ludometer.report.presenter import Part, present_parts

    check_targets([options.file], options.json.json_file)
    hypotheses, anchors, reading = options.test.hypotheses, options.anchors.anchors, options.reading
    by_column = options.pairs not in ("order", "none")
    if by_column and reading.session:
        raise LudometerError("--pairs and --session both name the games that belong together: leave one out")
    if by_column:
        reading = replace(reading, session=options.pairs)
    found = "session" if reading.session else "none" if options.pairs == "none" else "order"
    parts: list[Part] = []
    for matches in load(options.file, reading):
        with named(matches):
            study = study_engines(
                matches.record,
                pairs=found,  # type: ignore[arg-type]  # one of the three
                engine=options.engine,
                anchors=anchors,
                hypotheses=hypotheses,
            )
        if found != "none":
            note(f"{study.n_paired:,} of {study.n_matches:,} games have a partner with colours reversed")
        parts.append(Part(matches.value, study, data=matches.count(study)))
    present_parts(parts, options.json.output, by=options.reading.by)
