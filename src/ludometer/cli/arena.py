"""ludometer arena: strengths from judged pairs, with covariates."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, cast

import click

from ludometer.cli.anchors import AnchorOption
from ludometer.cli.declared import Number, argument, group, option, takes
from ludometer.cli.loading import load, named
from ludometer.cli.screen import listen
from ludometer.cli.shared import FileOptions, JsonOption, SeedOption, check_targets
from ludometer.errors import LudometerError

if TYPE_CHECKING:
    from ludometer.strength.bradley_terry import Contrast, Errors

_CONTRASTS = ("difference", "relative", "doubling")
_SHOWN = 20


@dataclass(frozen=True)
class ModelOptions:
    """What the model has beside strengths, and how errors are estimated."""

    contrast: tuple[str, ...] = option(
        "--contrast",
        multiple=True,
        metavar="NAME=HOW",
        help="How two values of a player covariate are compared: difference (unless given), relative, which is "
        "(a - b) / (a + b), or doubling, such as length=doubling; may be repeated.",
    )
    errors: Errors = option(
        "--errors",
        type=click.Choice(["robust", "curvature", "bootstrap"]),
        default="robust",
        help="Errors from the scatter of results (by session, if there is one), from the curvature of the likelihood, "
        "or by a bootstrap.",
    )
    draws: int = option(
        "--draws", type=click.IntRange(20), default=400, metavar="N", help="Number of bootstrap samples."
    )
    prior: float = option(
        "--prior",
        type=Number(0, min_open=True, example=1000),
        default=1000.0,
        metavar="POINTS",
        help="SD of the prior of strengths; a large one only keeps those finite who never lost.",
    )
    mean: float = option(
        "--mean", type=Number(example=1500), default=1500.0, metavar="RATING", help="Mean rating, without an anchor."
    )

    @property
    def contrasts(self) -> dict[str, Contrast]:
        """How values are compared, by name."""
        found: dict[str, Contrast] = {}
        for entry in self.contrast:
            name, _, how = entry.rpartition("=")
            if not name or how not in _CONTRASTS:
                raise LudometerError(f"--contrast {entry}: write NAME=HOW with {', '.join(_CONTRASTS)}")
            found[name] = cast("Contrast", how)
        return found


@dataclass(frozen=True)
class ArenaOptions:
    """All of them."""

    file: str = argument()
    reading: FileOptions = group(FileOptions)
    model: ModelOptions = group(ModelOptions)
    anchors: AnchorOption = group(AnchorOption)
    top: int = option(
        "--top", type=click.IntRange(1), default=_SHOWN, metavar="N", help="Show only the first N players on screen."
    )
    seed: SeedOption = group(SeedOption)
    json: JsonOption = group(JsonOption)


@click.command("arena")
@takes(ArenaOptions)
def command(options: ArenaOptions) -> None:
    """Rate models or players from judged pairs of FILE by Bradley and Terry's model, with intervals and ranks.

    FILE may be an arena's own: columns model_a, model_b and winner (model_a, model_b, tie, tie (bothbad)). Player
    covariates such as the length of an answer become effects in Elo points, and ratings are then those at equal length;
    match covariates such as the judge change what the first position is worth.

    \b
    ludometer arena votes.parquet
    ludometer arena votes.csv --seat-covariates length --contrast length=doubling --advantage order
    ludometer arena votes.jsonl --covariates judge --session user --by topic --json arena.json
    ludometer arena votes.csv --where "not winner in ('tie (bothbad)')" --anchor gpt-4=1250
    """
    listen()
    from ludometer.report.presenter import Part, present_parts
    from ludometer.strength.bradley_terry import fit_bradley_terry

    check_targets([options.file], options.json.json_file)
    contrasts, anchors = options.model.contrasts, options.anchors.anchors
    parts: list[Part] = []
    for matches in load(options.file, options.reading):
        with named(matches):
            fit = fit_bradley_terry(
                matches.record,
                contrasts=contrasts,
                anchors=anchors,
                errors=options.model.errors,
                prior_sd=options.model.prior,
                mean=options.model.mean,
                n_draws=options.model.draws,
                seed=options.seed.seed,
            )
        parts.append(Part(matches.value, fit, partial(fit.summary, options.top), data=matches.count(fit)))
    present_parts(parts, options.json.output, by=options.reading.by)
