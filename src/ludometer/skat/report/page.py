"""The HTML report of `skat rate`: rating list, courses, season, other systems; one page without network or scripts."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ludometer.report.parts import download, figure, paragraphs
from ludometer.skat.report.charts import SHOWN, course_chart, has_bands, rating_chart
from ludometer.skat.report.parts import LONGEST, answer, method, rest, section, text_table, write_page
from ludometer.skat.report.phrases import phrase
from ludometer.skat.report.studies import sensitivity_section
from ludometer.skat.report.text import describe_chance, plain_table, rating_table, season_names
from ludometer.skat.words import Language

if TYPE_CHECKING:
    import polars as pl

    from ludometer.ratings.scores.audit import SeriesRatings
    from ludometer.skat.sensitivity import Sensitivity

_METHOD = {
    "en": (
        "E_i = R_i S / R, with S the sum of the scores and R of the ratings at a table; R_i moves by K (S_i - E_i). "
        "Where S or a rating is not above 0, and always with --form additive, E_i = R_i + (S - R) / n. The sum of "
        "ratings stays. Source: Edelkamp, “ELO System for Skat and Other Games of Chance”.",
        "A score is the extended Seeger system's: points + 50 (won - lost) + 40 for each game lost by another player "
        "at a table of three, 30 at a table of four.",
        "± is one SD of a rating about the player's strength: the noise of the step, and what the start value still "
        "adds. A rating is provisional while the start value is more than half of it.",
    ),
    "de": (
        "E_i = R_i S / R, mit S als Summe der Ergebnisse und R der Wertungen am Tisch; R_i ändert sich um K (S_i - "
        "E_i). Wo S oder eine Wertung nicht über 0 liegt, und immer bei --form additive, ist E_i = R_i + (S - R) / "
        "n. Die Summe der Wertungen bleibt gleich. Quelle: Edelkamp, „ELO System for Skat and Other Games of Chance“.",
        "Leistung nach erweitertem Seeger-System: Spielpunkte + 50 (gewonnen - verloren) + 40 für jedes von anderen "
        "verlorene Spiel am Dreiertisch, 30 am Vierertisch.",
        "± ist eine Standardabweichung der Wertung um die Spielstärke: das Rauschen der Schritte und was der Startwert "
        "noch beiträgt. Vorläufig ist eine Wertung, solange der Startwert mehr als die Hälfte ausmacht.",
    ),
}


@dataclass(frozen=True)
class SkatPage:
    """What the page shows."""

    name: str
    ratings: SeriesRatings
    players: pl.DataFrame
    """The rating list, with titles where there are any."""
    tables: Mapping[str, pl.DataFrame | None]
    """season, teams, variants."""
    command: str
    language: Language = "en"
    courses: Sequence[str] = ()
    """Players to draw; without names the five best."""
    chance: Mapping[str, Any] | None = None
    sensitivity: Sensitivity | None = None
    notes: Sequence[str] = field(default_factory=tuple)


def write_skat_page(page: SkatPage, path: Path) -> None:
    """Write the report."""
    parts = [
        _answer(page),
        _rating_list(page),
        _courses(page),
        _season(page),
        _variants(page),
        _chance(page),
        _sensitivity(page),
        method(page.ratings.provenance, page.command, page.language, (*_METHOD[page.language], *page.notes)),
    ]
    write_page(path, f"{page.name}: {phrase('Ratings', page.language)}", parts, page.language)


def _answer(page: SkatPage) -> str:
    ratings, first = page.ratings, page.players.row(0, named=True)
    lead = phrase(
        "lead",
        page.language,
        first=first["player"],
        rating=f"{first['rating']:.0f}",
        sd=f"{first['sd']:.0f}",
        n=f"{ratings.n_series:,}",
        players=f"{len(page.players):,}",
    )
    step = float(ratings.provenance.parameters["k"])
    spread = phrase(
        "spread",
        page.language,
        score=f"{ratings.score_sd:.0f}",
        strength=f"{ratings.strength_sd:.0f}",
        noise=f"{ratings.score_sd * math.sqrt(step / 2):.0f}",
    )
    level = "" if 0.8 < ratings.level < 1.25 else phrase("level", page.language, level=f"{ratings.level:.2f}")
    dots = figure(partial(rating_chart, page.players, page.language), phrase("dots", page.language))
    return answer(lead, paragraphs(spread, level), dots)


def _rating_list(page: SkatPage) -> str:
    rows = rating_table(page.players.head(LONGEST), page.language)
    return section(
        "Rating list",
        page.language,
        text_table(rows, left=(1,), words=(4,)),
        rest(page.players, page.language),
        download(page.players, "ratings.csv", phrase("List as a table", page.language)),
    )


def _courses(page: SkatPage) -> str:
    listed = set(page.ratings.updates["player"].to_list())
    names = list(page.courses) or [name for name in page.players["player"].to_list() if name in listed][:5]
    updates = page.ratings.updates
    band = " " + phrase("band", page.language) if has_bands(names) else ""
    figures = (
        figure(partial(course_chart, updates, names, view, page.language), phrase(view, page.language) + band)
        for view in ("contracted", "expanded")
    )
    return section(
        "Courses",
        page.language,
        *figures,
        download(updates, "updates.csv", phrase("Updates as a table", page.language)),
    )


def _season(page: SkatPage) -> str:
    html = ""
    season, teams = page.tables.get("season"), page.tables.get("teams")
    if season is not None:
        rows = plain_table(season.head(LONGEST), page.language, names=season_names())
        html += section(
            "Season",
            page.language,
            paragraphs(phrase("season rule", page.language)),
            text_table(rows, left=(1,)),
            rest(season, page.language),
            download(season, "season.csv", phrase("Season", page.language)),
        )
    if teams is not None:
        rows = plain_table(teams, page.language, names={"points": "team_points"})
        html += section(
            "Teams", page.language, paragraphs(phrase("team rule", page.language)), text_table(rows, left=(1,))
        )
    return html


def _variants(page: SkatPage) -> str:
    frame = page.tables.get("variants")
    if frame is None:
        return ""
    rows = plain_table(frame.head(SHOWN), page.language, names=season_names())
    return section(
        "Variants",
        page.language,
        paragraphs(phrase("variants rule", page.language)),
        text_table(rows),
        rest(frame, page.language, SHOWN),
        download(frame, "systems.csv", phrase("Variants", page.language)),
    )


def _chance(page: SkatPage) -> str:
    if page.chance is None:
        return ""
    return section("Chance", page.language, paragraphs(describe_chance(page.chance, page.language)))


def _sensitivity(page: SkatPage) -> str:
    if page.sensitivity is None:
        return ""
    return sensitivity_section(page.sensitivity, page.language)
