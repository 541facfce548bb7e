"""The pages of `skat sensitivity` and `skat fit`: how K and chance factors matter, and whether chances are right."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from ludometer.report.parts import download, figure, paragraphs
from ludometer.skat.report.charts import calibration_chart, spread_chart
from ludometer.skat.report.parts import answer, method, section, text_table, write_page
from ludometer.skat.report.phrases import localise, phrase
from ludometer.skat.report.text import describe_placement, quality_table, spread_table
from ludometer.skat.words import Language

if TYPE_CHECKING:
    from ludometer.skat.luck.fitting import FittedModel
    from ludometer.skat.sensitivity import Placement, Sensitivity


def write_sensitivity_page(
    found: Sensitivity,
    placement: Placement | None,
    path: Path,
    *,
    name: str,
    start: float,
    command: str,
    language: Language,
) -> None:
    """The page of `skat sensitivity`."""
    lead = phrase(
        "sensitivity of",
        language,
        n=localise(f"{found.n_series:,}", language),
        players=localise(f"{found.n_players:,}", language),
        start=localise(f"{start:g}", language),
    )
    placed = "" if placement is None else paragraphs(describe_placement(placement, language))
    parts = [
        answer(f"{lead}.", placed),
        sensitivity_section(found, language),
        method(found.provenance, command, language, ()),
    ]
    write_page(path, f"{name}: {phrase('Sensitivity', language)}", parts, language)


def sensitivity_section(found: Sensitivity, language: Language) -> str:
    """Table VIII's form with its picture."""
    return section(
        "Sensitivity",
        language,
        figure(partial(spread_chart, found, language), phrase("sensitivity rule", language)),
        text_table(spread_table(found, language), left=()),
        download(found.to_frame(), "sensitivity.csv", phrase("Sensitivity", language)),
    )


def write_model_page(fitted: FittedModel, path: Path, *, name: str, command: str, language: Language) -> None:
    """The page of `skat fit`."""
    lead = phrase(
        "fitted on",
        language,
        n=localise(f"{sum(fitted.model.games.values()):,}", language),
        aside=localise(f"{fitted.held_out:,}", language),
    )
    parts = [
        answer(lead, text_table(quality_table(fitted.check, language)), paragraphs(phrase("quality rule", language))),
        section(
            "Calibration",
            language,
            figure(partial(calibration_chart, fitted.check, language), phrase("calibration rule", language)),
            download(fitted.to_frame(), "calibration.csv", phrase("Calibration", language)),
        ),
        method(fitted.provenance, command, language, ()),
    ]
    write_page(path, f"{name}: {phrase('Winning model', language)}", parts, language)
