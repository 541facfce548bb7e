"""ludometer skat: score lists, rate series, see how much K and luck matter, fit the winning model."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ludometer.cli.declared import InOrder, OutFile, argument, group, option, takes
from ludometer.cli.screen import listen, note
from ludometer.cli.shared import OutputOptions, WorkOptions, check_targets
from ludometer.errors import LudometerError
from ludometer.programs import Program
from ludometer.skat.commands.fields import choice, number
from ludometer.skat.commands.options import (
    AnonymiseOption,
    ChanceOptions,
    LanguageOption,
    ListOptions,
    MatchesOption,
    ModelOptions,
    SystemOptions,
    parse_factor_names,
    parse_numbers,
    parse_titles,
)

if TYPE_CHECKING:
    from ludometer.matches import Matches
    from ludometer.parallel import Workers
    from ludometer.skat.ratings import SkatSeries
    from ludometer.skat.sheets import ListRules, SkatGames

PROGRAMS = (Program("xskat", "plays Skat games for the bundled record", version=None),)
"""For `ludometer doctor`."""

_SHEETS, _PLAYERS, _LINES = 3, 20, 5


@click.group("skat", short_help="Skat: list sheets, ratings of series, chance factors.", cls=InOrder)
def command() -> None:
    """Skat: score lists, rate players by their series, correct scores for card luck.

    Games are read from records of the International Skat Server (.sgf, .bz2), logs of xskat, or a score list with one
    row per game. Series are read from a table with one row per player and series: series, player, and score, or points,
    won, lost. German headings are understood.

    \b
    ludometer skat score games.sgf
    """


@dataclass(frozen=True)
class ScoreOptions:
    """The options of `skat score`."""

    games: str = argument()
    lists: ListOptions = group(ListOptions)
    words: LanguageOption = group(LanguageOption)
    top: int = number("--top", click.IntRange(1), _SHEETS, "N", "Sheets to print.")
    out: Path | None = option(
        "--out", type=OutFile(".csv", ".parquet"), metavar="FILE", help="Write the series as a table, for skat rate."
    )
    series: MatchesOption = group(MatchesOption)
    names: AnonymiseOption = group(AnonymiseOption)
    work: WorkOptions = group(WorkOptions)
    output: OutputOptions = group(OutputOptions)


@command.command("score", short_help="Score lists of games.")
@takes(ScoreOptions)
def score(options: ScoreOptions) -> None:
    """Score the lists in GAMES: points, games won and lost, and the score of each player.

    Games that are not recorded as the rules say are listed with the reason.

    \b
    ludometer skat score games.sgf --short keep
    ludometer skat score club-evening.csv --language de --out series.csv
    """
    listen()
    matches, output, language = options.series.matches, options.output, options.words.language
    check_targets([options.games], options.out, matches, output.html, output.json_file)
    from ludometer.report.files import write_frame
    from ludometer.report.presenter import present
    from ludometer.skat.language import phrase
    from ludometer.skat.report.pages import draw_score_page

    found = _read_games(options.games, options.lists.rules(), options.lists.skip_damaged, options.work.workers)
    if options.names.anonymise:
        options.names.warn()
        found = found.anonymised(seed=options.work.seed)
    if not len(found.results):
        note("no list is complete: --short keep shows the shorter ones, --length N cuts other lists")
    target = options.names.output(output, options.games, options.out, matches)
    hides_name = options.names.anonymise or options.games == "-"
    name = phrase("Lists", language) if hides_name else found.name
    present(
        found,
        target,
        text=lambda: found.summary(language, options.top),
        page=lambda: draw_score_page(found, name=name, command=target.command, language=language),
    )
    if options.out:
        sheets = found.to_frame()
        totals = () if found.results.has_totals else ("games", "points", "won", "lost")
        left_out = {"others_lost", "n_seats", *totals}
        kept = [name for name in _COLUMNS if name in sheets.columns and name not in left_out]
        write_frame(sheets.select(kept), options.out)
        note(f"wrote {found.n_series:,} series to {options.out}")
    if matches:
        _write_series(found.to_matches(), matches)


_COLUMNS = ("series", "time", "player", "games", "points", "won", "lost", "score", "place")


@dataclass(frozen=True)
class RateOptions:
    """The options of `skat rate`."""

    series: str = argument()
    system: SystemOptions = group(SystemOptions)
    since: str | None = option(
        "--since", metavar="DATE", help="List updates, and count the season, from this date (or series) on."
    )
    ratings: str | None = option(
        "--ratings", metavar="FILE", help="Ratings before --since: a table with player, rating and optionally series."
    )
    titles: str | None = option("--titles", metavar="1100=Meister,...", help="Titles by the rating that they need.")
    min_series: int = number(
        "--min-series", click.IntRange(0), 0, "N", "Season table: series that players need to qualify."
    )
    min_share: float = number(
        "--min-share",
        click.FloatRange(0, 1),
        0,
        "SHARE",
        "Season table: share of the busiest player's games that players need to qualify (ISPA: 0.75).",
    )
    dropped: int = number("--dropped", click.IntRange(0), 0, "N", "Season table: drop each player's N worst lists.")
    teams: str | None = option("--teams", metavar="FILE", help="Players and their teams; adds a table of team points.")
    sensitivity: bool = option("--sensitivity", is_flag=True, help="Add the table of K and chance factors.")
    draw: str | None = option(
        "--draw", metavar="NAME,...", help="Players in the charts of the report.  [default: the five best]"
    )
    explain: str | None = option("--explain", metavar="NAME", help="Print every update of this player.")
    top: int = number("--top", click.IntRange(1), _PLAYERS, "N", "Players to print.")
    luck: ChanceOptions = group(ChanceOptions)
    lists: ListOptions = group(ListOptions)
    words: LanguageOption = group(LanguageOption)
    export: MatchesOption = group(MatchesOption)
    names: AnonymiseOption = group(AnonymiseOption)
    work: WorkOptions = group(WorkOptions)
    output: OutputOptions = group(OutputOptions)


@command.command("rate", short_help="Rate players by series.")
@takes(RateOptions)
def rate(options: RateOptions) -> None:
    """Rate players by their series and list every update with what was expected.

    SERIES is a table of results (of any game with scores), or games, which are scored first.

    \b
    ludometer skat rate series.csv --k 0.02 --start 800 --html ratings.html
    ludometer skat rate games.sgf.bz2 --chance i3 --start mean
    ludometer skat rate saison.csv --language de --titles 1100=Meister,1000=Experte --min-share 0.75
    """
    listen()
    output, language, hidden = options.output, options.words.language, options.names.anonymise
    check_targets([options.series], options.export.matches, output.html, output.json_file)
    from ludometer.report.presenter import present
    from ludometer.skat.ratings import SeasonRules, rate_skat

    system, titles = options.system.make(), parse_titles(options.titles)
    source = _load_rated(options)
    spread = None
    if options.sensitivity:
        spread = _measure_spread(source, options, system)
    if hidden:
        options.names.warn()
        source = source.hidden(options.work.seed)
    drawn = [name.strip() for name in (options.draw or "").split(",") if name.strip()]
    rules = SeasonRules(options.since, options.dropped, options.min_series, options.min_share)
    rated = rate_skat(source, system=system, rules=rules, titles=titles, drawn=drawn, sensitivity=spread)
    hint = "; with --anonymise they are called P-1, P-2 and so on" if hidden else ""
    rated.require([*drawn, *([options.explain] if options.explain else [])], hint)
    files = (options.series, options.export.matches, options.teams, options.ratings, options.luck.hands.model)
    target = options.names.output(output, *files)

    def page() -> str:
        from ludometer.skat.language import phrase
        from ludometer.skat.report.pages import draw_rate_page

        name = phrase("Series results", language) if hidden or options.series == "-" else _short(options.series)
        return draw_rate_page(rated, name=name, command=target.command, language=language)

    present(rated, target, text=lambda: rated.summary(language, options.top, options.explain), page=page)
    if options.export.matches:
        _write_series(source.played, options.export.matches)


def _load_rated(options: RateOptions) -> SkatSeries:
    """The series with teams and earlier ratings, corrected for luck as wanted."""
    from dataclasses import replace

    from ludometer.skat.reading.series_tables import read_standing, read_teams

    factors, position, strength = options.luck.factors, options.luck.position, options.luck.hands.strength
    needs_deals = factors is not None and factors.deal is not None
    rules = options.lists.rules(folded=needs_deals)
    if needs_deals and not options.lists.folded:
        note(_FOLDED)
    source = _load_series(options.series, rules, options.lists.skip_damaged, options.work.workers)
    if factors is not None and (source.games is None or source.games.records is None):
        raise LudometerError(f"{options.series}: chance factors need game records with cards (ISS records, xskat logs)")
    source = replace(
        source,
        teams=None if options.teams is None else read_teams(options.teams),
        standing=None if options.ratings is None else read_standing(options.ratings),
    )
    if position:
        from ludometer.ratings.scores.starting_position import adjust_for_position

        adjusted = adjust_for_position(source.series, form=position)
        note(adjusted.summary())
        return source.with_adjusted(adjusted.series)
    return source if factors is None else source.corrected(factors, strength=strength, seed=options.work.seed)


def _measure_spread(source: SkatSeries, options: RateOptions, system: Any) -> Any:
    """The table of K and chance factors, from where the ratings start."""
    from ludometer.ratings.driver import prepare
    from ludometer.ratings.scores.elo import SeriesElo
    from ludometer.skat.sensitivity import KS, study_sensitivity

    start = float(prepare(system, source.series).parameters["start_rating"])
    return study_sensitivity(
        source.played,
        source.games,
        k=sorted({*KS, options.system.k}),
        system=SeriesElo(start_rating=start, form=options.system.form),
        strength=options.luck.hands.strength,
        lost=options.luck.hands.lost,
        min_series=options.min_series,
        seed=options.work.seed,
    )


@dataclass(frozen=True)
class SensitivityOptions:
    """The options of `skat sensitivity`."""

    series: str = argument()
    k: str = option("--k", default="0.01,0.02,0.04,0.08", metavar="K,...", help="Steps.")
    start: float = number("--start", float, 850, "RATING", "Start rating.")
    form: Any = choice("--form", "proportional additive", "Form of the expectation.")
    factors: str | None = option(
        "--factors", metavar="i1,i2,i3", help="Chance factors to switch on and off.  [default: i1,i2 of records]"
    )
    targets: str | None = option(
        "--targets",
        metavar="GOOD:WEAK",
        help="Find the K and start that bring the best and last tenth to these ratings, such as 1100:650.",
    )
    min_series: int = number("--min-series", click.IntRange(1), 1, "N", "Count only players with N series or more.")
    hands: ModelOptions = group(ModelOptions)
    lists: ListOptions = group(ListOptions)
    words: LanguageOption = group(LanguageOption)
    work: WorkOptions = group(WorkOptions)
    output: OutputOptions = group(OutputOptions)

    @property
    def steps(self) -> tuple[float, ...]:
        """The K to try."""
        steps = parse_numbers(self.k, "--k", ",")
        if min(steps) < 0:
            raise LudometerError(f"--k {self.k}: write numbers from 0 up, such as 0.01,0.02")
        return steps

    @property
    def wanted(self) -> tuple[float, float] | None:
        """The ratings that good and weak players should reach."""
        if self.targets is None:
            return None
        ends = parse_numbers(self.targets, "--targets", ":")
        if len(ends) != 2 or not ends[0] > ends[1]:
            raise LudometerError(f"--targets {self.targets}: write two ratings, the higher first, such as 1100:650")
        return ends[0], ends[1]


@command.command("sensitivity", short_help="Show how K and chance factors move ratings.")
@takes(SensitivityOptions)
def sensitivity(options: SensitivityOptions) -> None:
    """Show how far ratings lie apart by chance factors and K: max, mean, min, and what the top 10, 25, 75, 90% reach.

    \b
    ludometer skat sensitivity games.sgf --k 0.01,0.02,0.05
    """
    listen()
    output, language = options.output, options.words.language
    check_targets([options.series], output.html, output.json_file)
    from dataclasses import replace

    from ludometer.ratings.scores.elo import SeriesElo
    from ludometer.report.presenter import present
    from ludometer.skat.report.pages import draw_sensitivity_page
    from ludometer.skat.sensitivity import choose_step_and_start, study_sensitivity

    steps, names, wanted = options.steps, parse_factor_names(options.factors), options.wanted
    if not math.isfinite(options.start):
        raise LudometerError(f"--start {options.start:g}: write a rating, such as 850")
    strength, needs_deals = options.hands.strength, options.factors is not None and "i3" in names
    rules = options.lists.rules(folded=needs_deals)
    if needs_deals and not options.lists.folded:
        note(_FOLDED)
    source = _load_series(options.series, rules, options.lists.skip_damaged, options.work.workers)
    if source.games is None or source.games.records is None:
        if options.factors is not None:
            raise LudometerError(
                f"{options.series}: chance factors need game records with cards (ISS records, xskat logs)"
            )
        note("results of series have no cards: the table has only rows without chance factors")
    found = study_sensitivity(
        source.series,
        source.games,
        names=names,
        k=steps,
        system=SeriesElo(start_rating=options.start, form=options.form),
        strength=strength,
        lost=options.hands.lost,
        min_series=options.min_series,
        seed=options.work.seed,
    )
    if wanted:
        placement = choose_step_and_start(
            source.series,
            good=wanted[0],
            weak=wanted[1],
            min_series=max(options.min_series, 2),
            system=SeriesElo(form=options.form),
        )
        found = replace(found, placement=placement)
    name, line = _short(options.series), output.output
    present(
        found,
        line,
        text=lambda: found.summary(language),
        page=lambda: draw_sensitivity_page(found, name=name, command=line.command, language=language),
    )


@dataclass(frozen=True)
class FitOptions:
    """The options of `skat fit`."""

    games: str = argument()
    out: Path = option(
        "--out", required=True, type=OutFile(".json"), metavar="FILE", help="Model to write (.json), for --model."
    )
    ridge: float = number("--ridge", click.FloatRange(0), 1, "LAMBDA", "Penalty on the slopes.")
    plot: Path | None = option(
        "--plot", type=OutFile(".svg"), metavar="FILE", help="Write the calibration on games held out (.svg)."
    )
    skip_damaged: bool = option("--skip-damaged", is_flag=True, help="Skip damaged records and list them.")
    words: LanguageOption = group(LanguageOption)
    work: WorkOptions = group(WorkOptions)
    output: OutputOptions = group(OutputOptions)


@command.command("fit", short_help="Fit the declarer's chance to win.")
@takes(FitOptions)
def fit(options: FitOptions) -> None:
    """Fit the declarer's chance to win on the game records of GAMES, by kind of game.

    A tenth of the games is held out to show how good such a model is; the model that is written uses all games.

    \b
    ludometer skat fit games.sgf.bz2 --out model.json
    ludometer skat rate games.sgf.bz2 --chance i1 --model model.json
    """
    listen()
    output, language = options.output, options.words.language
    check_targets([options.games], options.out, options.plot, output.html, output.json_file)
    from ludometer.chart_style import to_svg
    from ludometer.report.presenter import present
    from ludometer.skat.luck.winning import fit_on_records
    from ludometer.skat.report.pages import draw_fit_page
    from ludometer.skat.sheets import ListRules
    from ludometer.writing import replacing

    if not math.isfinite(options.ridge):
        raise LudometerError(f"--ridge {options.ridge:g}: write a number from 0 up, such as 1")
    found = _read_games(options.games, ListRules(short="keep"), options.skip_damaged, options.work.workers)
    if found.records is None:
        raise LudometerError(f"{found.name}: a winning model needs game records with cards (ISS records, an xskat log)")
    fitted = fit_on_records(found.records, ridge=options.ridge, seed=options.work.seed, source=found.name)
    with replacing(options.out) as draft:
        fitted.model.save(draft)
    note(f"wrote the model to {options.out}")
    if options.plot:
        with replacing(options.plot) as draft:
            draft.write_text(to_svg(fitted.plot()), encoding="utf-8")
        note(f"wrote {options.plot}")
    line = output.output
    present(
        fitted,
        line,
        text=lambda: fitted.summary(language),
        page=lambda: draw_fit_page(fitted, name=found.name, command=line.command, language=language),
    )


_FOLDED = "i3 needs all deals: folded games count as games of a list, as with --folded"


def _load_series(file: str, rules: ListRules, skip_damaged: bool, workers: Workers) -> SkatSeries:
    """The series of a file, and its games if it has any."""
    from ludometer.skat.ratings import SkatSeries
    from ludometer.skat.reading.any_file import is_series_table

    if is_series_table(file):
        from ludometer.skat.reading.series_tables import read_series

        series = read_series(file)
        note(f"{file}: {len(series):,} series of {len(series.players):,} players")
        return SkatSeries(series)
    games = _read_games(file, rules, skip_damaged, workers)
    return SkatSeries(games.to_matches(), games)


def _read_games(file: str, rules: ListRules, skip_damaged: bool, workers: Workers) -> SkatGames:
    """Games and their lists, with a note of what was understood."""
    from ludometer.skat.reading.any_file import read_skat_games

    found = read_skat_games(file, rules=rules, skip_damaged=skip_damaged, workers=workers)
    counts = found.counts
    if counts.games is None:
        note(f"{found.name}: results of {found.n_series:,} series")
        return found
    left = f"; {counts.left_out:,} games are in no list that counts" if counts.left_out else ""
    folded = f", {counts.folded:,} folded" if counts.folded else ""
    note(f"{found.name}: {found.format}, {counts.games:,} games{folded}, {found.n_series:,} lists{left}")
    if found.damaged:
        shown = "; ".join(f"line {fault.line:,}: {fault.reason}" for fault in found.damaged[:_LINES])
        note(f"{len(found.damaged):,} damaged records were skipped: {shown}")
    return found


def _write_series(series: Matches, file: Path) -> None:
    """The series as a match file."""
    from ludometer.report.files import write_matches

    write_matches(iter([series]), file, by_seat=True)
    note(f"wrote {len(series):,} series as matches to {file}")


def _short(source: str) -> str:
    """A file's name without its folder."""
    return "-" if source == "-" else source.replace("\\", "/").rsplit("/", 1)[-1]
