"""ludometer measure: how much skill, how much luck."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from ludometer.cli.court import CourtOptions
from ludometer.cli.declared import Number, OutFile, WholeNumbers, argument, group, option, takes
from ludometer.cli.loading import load, load_by_usual_names
from ludometer.cli.screen import following, listen, note
from ludometer.cli.shared import FileOptions, OutputOptions, WorkOptions, base_option, check_targets
from ludometer.errors import MatchDataError, NoFiniteFit
from ludometer.wording import percent

if TYPE_CHECKING:
    from ludometer.journal import Journal
    from ludometer.measurement import Budget, LuckChoices, Measurement, Reference
    from ludometer.measurement.luck.population import Method
    from ludometer.measurement.record.study import RecordStudy
    from ludometer.ratings.systems.best_fit import Procedure
    from ludometer.scale import Base
    from ludometer.strength.skills import Link


@dataclass(frozen=True)
class LuckOptions:
    """How L and ℓ² are measured."""

    ridge: float | Literal["cv"] = option(
        "--ridge",
        type=Number(0, example=0.25, word="cv"),
        default=0.25,
        metavar="LAMBDA",
        help="Penalty on the skills for L and ℓ²; cv chooses the one that predicts best.",
    )
    luck_model: Link = option(
        "--luck-model",
        type=click.Choice(["probit", "logit"]),
        default="probit",
        help="Distribution of performances around these skills: normal (probit) or Gumbel (logit).",
    )
    luck_prior: str = option(
        "--luck-prior",
        default="uniform:10",
        metavar="PRIOR",
        help="Prior for the spread of skills: uniform:10, or invgamma:2,1 as printed.",
    )
    luck_draws: int | None = option(
        "--luck-draws",
        type=click.IntRange(0),
        show_default="by size of the file",
        metavar="N",
        help="Effective draws of the spread of skills, by the sampler; 0 skips ℓ² of the population.",
    )
    luck_method: Method = option(
        "--luck-method",
        type=click.Choice(["auto", "evidence", "sampler"]),
        default="auto",
        help="How the spread of skills is found: without draws (evidence), by draws (sampler), or evidence where it is "
        "exact enough (auto).",
    )

    @property
    def choices(self) -> LuckChoices:
        """The same for the library."""
        from ludometer.measurement import LuckChoices

        return LuckChoices(self.ridge, self.luck_model, self.luck_prior, self.luck_draws, self.luck_method)


@dataclass(frozen=True)
class MeasureOptions:
    """All of them."""

    files: tuple[str, ...] = argument(nargs=-1, metavar="FILE...")
    reading: FileOptions = group(FileOptions)
    quick: bool = option("--quick", is_flag=True, help="Skip all simulations: intervals, yardstick, verdict.")
    cutoffs: tuple[int, ...] = option(
        "--cutoffs",
        type=WholeNumbers(),
        default=(25, 1, 100),
        show_default="25,1,100",
        metavar="N,...",
        help="Count players with at least this many matches.",
    )
    search: Procedure = option(
        "--search",
        type=click.Choice(["lanes", "printed"]),
        default="lanes",
        help="How to find the best k; 'printed' is the procedure given in the paper.",
    )
    base: Base = base_option()
    share: float | Literal["fit"] | None = option(
        "--share",
        type=Number(example=0.5, word="fit"),
        metavar="SHARE",
        help="Share of matches that skill decides (the rest: a coin), to bound expectations; fit estimates it.",
    )
    reference: str | None = option(
        "--reference", metavar="FILE", help="Record of a game to compare with instead of chess (usual column names)."
    )
    replicates: int | None = option(
        "--replicates",
        type=click.IntRange(19),
        show_default="by size of the file",
        metavar="N",
        help="Simulated games for each interval.",
    )
    budget: float | None = option(
        "--budget",
        type=click.FloatRange(0, min_open=True),
        metavar="SECONDS",
        help="Give the best answer within this time, and say what was left out.",
    )
    resume: Path | None = option(
        "--resume",
        type=OutFile(),
        metavar="FILE",
        help="Keep what has been simulated in this file, and go on from it after an interruption.",
    )
    luck: LuckOptions = group(LuckOptions)
    work: WorkOptions = group(WorkOptions)
    output: OutputOptions = group(OutputOptions)
    court: CourtOptions = group(CourtOptions)

    @property
    def is_one(self) -> bool:
        """Whether one game is measured; else games are compared."""
        return len(self.files) == 1 and not self.reading.by


@dataclass(frozen=True)
class _Record:
    """A game to measure."""

    name: str
    study: RecordStudy
    remarks: tuple[str, ...]


@click.command("measure")
@takes(MeasureOptions)
def command(options: MeasureOptions) -> None:
    """Measure how much skill the game in FILE shows; several files are compared.

    A folder, or a pattern in quotation marks, is one game in many files.

    The measure is the spread of best-fit Elo ratings (Duersch, Lambrecht, Oechssler 2020). The verdict rests on
    benchmark games simulated on the same schedule.

    \b
    ludometer measure games.csv --html report.html
    ludometer measure chess.parquet poker.parquet --by site --json -
    ludometer measure "logs/part-*.parquet" --cluster tcp://host:8786
    ludometer measure races.csv --prizes linear --reference chess.parquet
    ludometer measure log.csv --pdf report.pdf --author "J. Doe" --case "12 O 345/26"
    """
    begun = time.monotonic()
    listen()
    from ludometer.measurement import compare_games
    from ludometer.report.presenter import present, show

    check_targets(options.files, options.output.json_file, options.output.html, options.court.pdf, options.resume)
    options.court.check(is_one=options.is_one, quick=options.quick or options.share is not None)
    output = options.output.output
    reference = None
    journal = _open_journal(options)
    if options.reference and not options.quick:
        reference = _measure_reference(options.reference, options.work, journal)
    games: list[tuple[str, Measurement]] = []
    remarks: dict[str, tuple[str, ...]] = {}
    refused: dict[str, str] = {}
    for record in _records(options):
        remarks[record.name] = record.remarks
        try:
            game = _measure(record, options, reference, _share_of_budget(options, begun, len(remarks)), journal)
        except (MatchDataError, NoFiniteFit) as error:
            if options.is_one:
                raise
            # the other games are still wanted
            refused[record.name] = str(error)
            note(f"{record.name} cannot be measured: {error}")
            continue
        games.append((record.name, game))
        if not options.is_one and not output.is_quiet:
            show(_text(record.name, game))
    if not games:
        raise MatchDataError("none of the games can be measured: " + "; ".join(refused))

    def page() -> str:
        from ludometer.report.page import render_page

        return render_page(games, command=output.command, remarks=remarks)

    if options.is_one:
        ((name, game),) = games
        present(game, output, text=partial(_text, name, game), page=page)
        options.court.write(name, game, options.files, remarks[name])
        return
    comparison = compare_games(games, refused=refused)
    present(comparison, output, text=comparison.summary if len(games) > 1 else str, page=page)


def _records(options: MeasureOptions) -> Iterator[_Record]:
    """The games of all files, with names of their own, read one after another."""
    known: set[str] = set()
    for file in options.files:
        reading = replace(options.reading, min_component=None)
        for loaded in load(
            file, reading, connect=False, measured=True, uses=("advantage",), workers=options.work.workers
        ):
            name = _name_of(file)
            name += f", {options.reading.by} {loaded.value}" if loaded.value is not None else ""
            others = (f"{name} ({number})" for number in range(2, len(known) + 3))
            name = next(other for other in (name, *others) if other not in known)
            known.add(name)
            assert loaded.study is not None
            yield _Record(name, loaded.study, loaded.remarks)


def _share_of_budget(options: MeasureOptions, begun: float, place: int) -> Budget | None:
    """The budget runs from the beginning of the command; several files share it, one after another."""
    if options.budget is None:
        return None
    from ludometer.measurement import Budget

    return Budget(options.budget * place / len(options.files) if len(options.files) > 1 else options.budget, begun)


def _open_journal(options: MeasureOptions) -> Journal | None:
    if options.resume is None or options.quick:
        return None
    from ludometer.journal import Journal

    journal = Journal(options.resume)
    click.get_current_context().call_on_close(journal.close)
    return journal


def _name_of(file: str) -> str:
    """What a game is called: its file or folder, of a pattern what all its files begin with."""
    if file == "-":
        return "standard input"
    name = Path(file).name.split(".")[0]
    return re.split(r"[-_ ]*[*?\[]", name)[0] or Path(file).parent.name or name


def _measure(
    record: _Record,
    options: MeasureOptions,
    reference: Reference | None,
    budget: Budget | None,
    journal: Journal | None,
) -> Measurement:
    from ludometer.measurement import measure
    from ludometer.ratings import fit_share

    share = 1.0 if options.share is None else options.share
    if share == "fit":
        share = fit_share(record.study.matches)
        note(f"bounded forecasts fit best if skill decides {percent(share)} of the matches and a coin the rest")
    try:
        with following("" if options.is_one else record.name) as progress:
            game = measure(
                record.study,
                cutoffs=options.cutoffs,
                min_component=options.reading.min_component,
                procedure=options.search,
                prizes=options.reading.prize_rule,
                base=options.base,
                share=share,
                reference=reference,
                luck=options.luck.choices,
                experts=options.court.names(),
                quick=options.quick,
                replicates=options.replicates,
                seed=options.work.seed,
                workers=options.work.workers,
                progress=progress,
                budget=budget,
                journal=journal,
            )
    except KeyboardInterrupt:
        if journal is not None:
            note(f"what has been simulated is kept in {options.resume}: the same command goes on from it")
        raise
    if journal is not None and journal.n_found:
        note(f"{journal.n_found:,} pieces of work were done before and taken from {options.resume}")
    return game


def _measure_reference(file: str, work: WorkOptions, journal: Journal | None) -> Reference:
    """The game to compare with, read with the usual names of columns."""
    from ludometer.measurement import measure_reference

    name = Path(file).name.split(".")[0]
    matches = load_by_usual_names(file, "--reference")
    if journal is not None:
        journal.begin({"data": matches.fingerprint, "seed": work.seed, "reference": name})
    with following(f"reference {name}") as progress:
        workers = replace(work.workers, progress=progress, journal=journal)
        found = measure_reference(name, matches, seed=work.seed, workers=workers)
    note(f"{name}: the SD of skills is {found.sd:.0f} points, {percent(found.draws, 0)} of its matches are draws")
    return found


def _text(name: str, game: Measurement) -> str:
    """What a game rests on, and the answer."""
    from ludometer.measurement.summary import describe_record

    return f"{name}     {describe_record(game.data)}\n\n{game.summary()}\n"
