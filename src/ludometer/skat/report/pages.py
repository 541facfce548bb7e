"""The pages of the Skat commands: values for the templates in `skat/pages/`, in German and English."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ludometer.ratings.scores.audit import is_level
from ludometer.report.templates import Figure, render
from ludometer.skat.language import Language, in_language, localise, phrase, reason_in
from ludometer.skat.report import tables

if TYPE_CHECKING:
    import polars as pl

    from ludometer.skat.luck.winning import FittedModel
    from ludometer.skat.ratings import SkatRatings
    from ludometer.skat.sensitivity import Sensitivity
    from ludometer.skat.sheets import SkatGames

_LONGEST, _VARIANTS = 200, 30
"""Rows of tables on a page; all of them are in the file to download."""

_OPEN, _SHEETS = 3, 100
"""Sheets that stand open, and that are on a page at all."""


def draw_rate_page(found: SkatRatings, *, name: str, command: str, language: Language) -> str:
    """The page of `skat rate`."""
    ratings, first = found.ratings, found.players.row(0, named=True)
    say = in_language(language)
    numbers = {"score": ratings.score_sd, "strength": ratings.strength_sd, "noise": found.noise}
    band = " " + say("band") if found.has_bands else ""
    return _render(
        "rate.html",
        found,
        command,
        language,
        title=f"{name}: {say('Ratings')}",
        methods=[say("series Elo method"), say("extended method"), say("deviation method")],
        lead=say(
            "lead",
            first=first["player"],
            rating=f"{first['rating']:.0f}",
            sd=f"{first['sd']:.0f}",
            n=localise(f"{ratings.n_series:,}", language),
            players=localise(f"{len(found.players):,}", language),
        ),
        notes=[
            say("spread", **{key: f"{value:.0f}" for key, value in numbers.items()}),
            "" if is_level(ratings.level) else say("level", level=localise(f"{ratings.level:.2f}", language)),
        ],
        players=_listing(found.players, tables.rating_table, language),
        captions={view: say(view) + band for view in ("contracted", "expanded")},
        updates=ratings.updates,
        season=_listing(found.season, tables.plain_table, language, names=tables.SEASON_NAMES),
        teams=_listing(found.teams, tables.plain_table, language, names=tables.TEAM_NAMES),
        variants=_listing(found.variants, tables.plain_table, language, longest=_VARIANTS, names=tables.SEASON_NAMES),
        chance="" if found.source.chance is None else tables.describe_chance(found.source.chance, language),
        spread=None if found.sensitivity is None else tables.spread_table(found.sensitivity, language),
        sensitivity=None if found.sensitivity is None else found.sensitivity.to_frame(),
    )


def draw_score_page(found: SkatGames, *, name: str, command: str, language: Language) -> str:
    """The page of `skat score`."""
    import polars as pl

    say = in_language(language)
    sheets, counts = found.to_frame(), found.counts
    labels = sheets["series"].unique(maintain_order=True)
    lead, games = say("no lists"), ""
    if len(sheets):
        best = sheets.row(int(sheets["score"].arg_max() or 0), named=True)
        numbers = {"lists": found.n_series, "players": sheets["player"].n_unique(), "score": best["score"]}
        shown = {key: localise(f"{value:,.0f}", language) for key, value in numbers.items()}
        lead = say("lists lead", player=best["player"], series=best["series"], **shown)
    if counts.games is not None:
        numbers = {"games": counts.games, "folded": counts.folded, "left_out": counts.left_out}
        games = say("of games", **{key: localise(f"{value:,}", language) for key, value in numbers.items()})
    check = ""
    if counts.as_recorded is not None:
        check = tables.describe_check(counts.as_recorded, len(found.differences), language).rstrip(":") + "."
    reasons = pl.col("reason").map_elements(lambda text: reason_in(text, language), return_dtype=pl.String)
    differences = found.differences.with_columns(reasons) if len(found.differences) else None
    return _render(
        "score.html",
        found,
        command,
        language,
        title=f"{name}: {say('Lists')}",
        methods=[say(f"{found.rules.system} method")],
        lead=lead,
        notes=[games, check],
        differences=_listing(differences, tables.plain_table, language, names={"written": "written value"}),
        flagged=found.differences,
        sheets=[
            (
                f"{say('series')} {label}",
                tables.sheet_table(sheets.filter(series=label), language, has_totals=found.results.has_totals),
            )
            for label in labels.head(_SHEETS).to_list()
        ],
        n_open=_OPEN,
        more=_count_rest(len(labels), _SHEETS, language),
        lists=sheets,
    )


def draw_sensitivity_page(found: Sensitivity, *, name: str, command: str, language: Language) -> str:
    """The page of `skat sensitivity`."""
    placed = "" if found.placement is None else tables.describe_placement(found.placement, language)
    return _render(
        "sensitivity.html",
        found,
        command,
        language,
        title=f"{name}: {phrase('Sensitivity', language)}",
        methods=[],
        lead=f"{tables.lead_of_sensitivity(found, language)}.",
        notes=[placed],
        spread=tables.spread_table(found, language),
        sensitivity=found.to_frame(),
    )


def draw_fit_page(found: FittedModel, *, name: str, command: str, language: Language) -> str:
    """The page of `skat fit`."""
    games, aside = (localise(f"{n:,}", language) for n in (sum(found.model.games.values()), found.held_out))
    return _render(
        "fit.html",
        found,
        command,
        language,
        title=f"{name}: {phrase('Winning model', language)}",
        methods=[],
        lead=phrase("fitted on", language, n=games, aside=aside),
        notes=[],
        quality=tables.quality_table(found.check, language),
        calibration=found.to_frame(),
    )


def _render(
    template: str,
    found: SkatRatings | SkatGames | Sensitivity | FittedModel,
    command: str,
    language: Language,
    *,
    methods: Sequence[str],
    **values: Any,
) -> str:
    """A page with what all of them share: its words, its charts, and how it was made."""
    origin = found.provenance
    narrow = found.charts(narrow=True, language=language)
    charts = {name: Figure(chart, narrow[name]) for name, chart in found.charts(language=language).items()}
    parameters = ", ".join(f"{name} = {value}" for name, value in origin.parameters.items() if name != "source")
    return render(
        template,
        package="ludometer.skat",
        language=language,
        say=in_language(language),
        charts=charts,
        methods=methods,
        origin=origin,
        parameters=parameters,
        command=command,
        **values,
    )


def _listing(
    frame: pl.DataFrame | None, form: Any, language: Language, *, longest: int = _LONGEST, **names: Any
) -> dict[str, Any] | None:
    """A table of at most `longest` rows, how many more there are, and the whole for download."""
    if frame is None:
        return None
    rows = form(frame.head(longest), language, **names)
    return {"rows": rows, "more": _count_rest(len(frame), longest, language), "frame": frame}


def _count_rest(n: int, shown: int, language: Language) -> str:
    return phrase("and more", language, n=localise(f"{n - shown:,}", language)) if n > shown else ""
