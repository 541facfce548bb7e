"""ludometer simulate: match files with known truth, and real ones with results replaced."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ludometer.cli.declared import InOrder, Number, OutFile, argument, group, option, refuse_options, takes
from ludometer.cli.loading import load, load_by_usual_names
from ludometer.cli.screen import counting, listen, note
from ludometer.cli.shared import FileOptions, SeedOption, check_targets
from ludometer.errors import LudometerError

if TYPE_CHECKING:
    import polars as pl

    from ludometer.arrays import Floats
    from ludometer.matches import Matches
    from ludometer.players import Players
    from ludometer.simulate import DeterministicGame, MoveGame, StrengthGame

_RECORDS, _TABLES = (".parquet", ".csv", ".jsonl"), (".csv", ".parquet")


@click.group("simulate", cls=InOrder)
def command() -> None:
    """Write a match file with known truth, and the true skills on request.

    Columns: player_1, player_2, score_1; or match, player, place for multiplayer matches.

    \b
    ludometer simulate coin --out coin.csv
    """


@dataclass(frozen=True)
class TwoPlayerOptions:
    """How many play how often, two at a time."""

    players: int = option("--players", type=click.IntRange(2), default=1_000, metavar="N", help="Number of players.")
    matches: int = option("--matches", type=click.IntRange(1), default=50_000, metavar="N", help="Number of matches.")


@dataclass(frozen=True)
class PopulationOptions(TwoPlayerOptions):
    """How many play how often."""

    per_match: int = option(
        "--per-match", type=click.IntRange(2), default=2, metavar="N", help="Players in each match."
    )


@dataclass(frozen=True)
class ActivityOption:
    """Who plays how often."""

    activity: float = option(
        "--activity",
        type=Number(0),
        default=0,
        metavar="SD",
        help="SD of the logarithm of how often players play; 0: all equally often.",
    )


@dataclass(frozen=True)
class HabitOptions(ActivityOption):
    """How matches end."""

    draws: float = option(
        "--draws", type=Number(0, 1, max_open=True), default=0, metavar="SHARE", help="Share of draws."
    )


@dataclass(frozen=True)
class ScheduleOption:
    """Whose schedule is played."""

    on: str | None = option(
        "--on",
        metavar="FILE",
        help="Take players, pairings and times from this match file (usual column names) and replace only the results.",
    )


@dataclass(frozen=True)
class ShareOption:
    """How much is skill."""

    x: float = option(
        "--x",
        type=Number(0, 100),
        required=True,
        metavar="PERCENT",
        help="Percentage of the matches that are not left to chance.",
    )


@dataclass(frozen=True)
class RecordTarget(SeedOption):
    """Where the matches go."""

    out: Path = option(
        "--out", type=OutFile(*_RECORDS), required=True, metavar="FILE", help="Write to this .parquet, .csv or .jsonl."
    )


@dataclass(frozen=True)
class Target(RecordTarget):
    """Where the matches and the truth go."""

    truth: Path | None = option(
        "--truth",
        type=OutFile(*_TABLES),
        metavar="FILE",
        help="Write the true skills (player, skill) to this .csv or .parquet.",
    )


@dataclass(frozen=True)
class StrengthsOptions:
    """Options of simulate strengths."""

    sd: float = option("--sd", type=Number(0), default=200, metavar="POINTS", help="SD of the skills in Elo points.")
    population: PopulationOptions = group(PopulationOptions)
    habits: HabitOptions = group(HabitOptions)
    target: Target = group(Target)


@command.command("strengths", short_help="Normal skills, logistic results.")
@takes(StrengthsOptions)
def strengths(options: StrengthsOptions) -> None:
    """Simulate players with normal skills who meet at random; results follow the logistic curve.

    \b
    ludometer simulate strengths --sd 200 --players 1000 --matches 50000 --draws 0.1 --out games.parquet
    """
    _start(options.target)
    _play_strengths(options.sd, options.population, options.habits, options.target)


@dataclass(frozen=True)
class CoinOptions:
    """Options of simulate coin."""

    population: PopulationOptions = group(PopulationOptions)
    habits: HabitOptions = group(HabitOptions)
    schedule: ScheduleOption = group(ScheduleOption)
    target: Target = group(Target)


@command.command("coin", short_help="Pure chance.")
@takes(CoinOptions)
def coin(options: CoinOptions) -> None:
    """Simulate matches that a coin decides; --on takes the share of draws from the file.

    \b
    ludometer simulate coin --players 1000 --matches 50000 --out coin.csv
    ludometer simulate coin --on games.csv --out coin.csv
    """
    source = options.schedule.on
    _start(options.target, source)
    if source is None:
        _play_strengths(0.0, options.population, options.habits, options.target)
        return
    import numpy as np

    from ludometer.simulate import coin_on

    matches = coin_on(_load_schedule(source), seed=options.target.seed)
    _write_record(matches, options.target, np.zeros(len(matches.players)))


@dataclass(frozen=True)
class DeterministicOptions:
    """Options of simulate deterministic."""

    share: ShareOption = group(ShareOption)
    population: PopulationOptions = group(PopulationOptions)
    schedule: ScheduleOption = group(ScheduleOption)
    target: Target = group(Target)


@command.command("deterministic", short_help="The better player wins x%, a coin decides the rest.")
@takes(DeterministicOptions)
def deterministic(options: DeterministicOptions) -> None:
    """Simulate matches: x percent go to the better player, or end in order of strength; a coin decides the rest.

    The true skills are ranks: 0 is the weakest player.

    \b
    ludometer simulate deterministic --x 50 --players 1000 --matches 50000 --out half.parquet
    ludometer simulate deterministic --x 50 --on games.csv --out half.csv
    """
    source, people, seed = options.schedule.on, options.population, options.target.seed
    _start(options.target, source)
    from ludometer.simulate import DeterministicGame, deterministic_on

    if source is None:
        game = DeterministicGame(people.players, options.share.x, people.per_match, seed)
        _write_game(game, people.matches, options.target)
        return
    matches, skill = deterministic_on(_load_schedule(source), options.share.x, seed=seed)
    _write_record(matches, options.target, skill)


@dataclass(frozen=True)
class MixOptions:
    """Options of simulate mix."""

    file: str = argument()
    reading: FileOptions = group(FileOptions)
    share: ShareOption = group(ShareOption)
    target: RecordTarget = group(RecordTarget)


@command.command("mix", short_help="Keep x% of a file, replace the rest by chance.")
@takes(MixOptions)
def mixed(options: MixOptions) -> None:
    """Keep each match of FILE with a probability of x percent, and replace the result of the others by chance.

    Two players draw as often as in FILE, else either wins; more players finish in a random order.

    \b
    ludometer simulate mix chess.parquet --x 50 --out half-chess.parquet
    """
    _start(options.target, options.file)
    if options.reading.by:
        raise LudometerError("one file is written, so --by cannot split it: choose a part with --where")
    from ludometer.simulate import mix

    (loaded,) = load(options.file, options.reading, connect=bool(options.reading.min_component))
    _write_record(mix(loaded.record, options.share.x, seed=options.target.seed), options.target)


@dataclass(frozen=True)
class MoveOptions:
    """Options of simulate wm."""

    sd: float = option("--sd", type=Number(0), default=200, metavar="POINTS", help="SD of the ratings in Elo points.")
    ahead: int = option(
        "--ahead", type=click.IntRange(1), default=1, metavar="N", help="Mistakes that decide a game: n."
    )
    population: TwoPlayerOptions = group(TwoPlayerOptions)
    habits: ActivityOption = group(ActivityOption)
    target: Target = group(Target)


@command.command("wm", short_help="Right and wrong moves.")
@takes(MoveOptions)
def right_moves(options: MoveOptions) -> None:
    """Simulate simultaneous right or wrong moves; a player n mistakes behind loses (WM and WM^n of Smith 1994).

    \b
    ludometer simulate wm --ahead 3 --players 500 --matches 20000 --out wm.parquet --truth ratings.csv
    """
    _start(options.target)
    from ludometer.simulate import MoveGame

    people, activity = options.population, options.habits.activity
    game = MoveGame(people.players, sd=options.sd, ahead=options.ahead, activity=activity, seed=options.target.seed)
    _write_game(game, people.matches, options.target)


@dataclass(frozen=True)
class CareerOptions:
    """How players enter, learn and leave."""

    sd: float = option(
        "--sd", type=Number(0), default=200, metavar="POINTS", help="SD of the skills at entry in Elo points."
    )
    games: float = option("--games", type=Number(1), default=100, metavar="G", help="Mean games in a career.")
    lifetimes: str = option(
        "--lifetimes",
        type=click.Choice(["fixed", "exponential", "endless"]),
        default="fixed",
        help="Distribution of career lengths.",
    )
    learning: str = option(
        "--learning",
        type=click.Choice(["none", "unbounded", "bounded"]),
        default="none",
        help="How players improve: by log(1 + rate t) after t games, or towards a gain.",
    )
    learning_rate: float = option(
        "--learning-rate", type=Number(0), default=0.02, metavar="RATE", help="The rate, per game."
    )
    learning_gain: float = option(
        "--learning-gain", type=Number(0), default=200, metavar="POINTS", help="The gain, in Elo points."
    )


@dataclass(frozen=True)
class PairingOptions:
    """Who meets whom."""

    matchmaking: str = option(
        "--matchmaking",
        type=click.Choice(["random", "skill", "rating"]),
        default="random",
        help="Opponents: anybody, or those close in skill or in rating.",
    )
    window: float = option("--window", type=Number(0), default=100, metavar="POINTS", help="How close, in Elo points.")
    step: float = option("--h", type=Number(0), default=32, metavar="H", help="Update step of these ratings.")


@dataclass(frozen=True)
class LeagueOptions:
    """Options of simulate league."""

    career: CareerOptions = group(CareerOptions)
    pairing: PairingOptions = group(PairingOptions)
    population: TwoPlayerOptions = group(TwoPlayerOptions)
    target: Target = group(Target)


@command.command("league", short_help="Players enter, learn and leave.")
@takes(LeagueOptions)
def league(options: LeagueOptions) -> None:
    """Simulate a league that keeps its size: players enter, learn, meet, and leave.

    Times are rounds with one match per player. The truth also has each player's entry, exit and skill at entry.

    \b
    ludometer simulate league --games 200 --learning unbounded --out league.parquet --truth players.csv
    """
    _start(options.target)
    from ludometer.simulate import LeagueGame

    people = options.population
    game = LeagueGame(people.players, **vars(options.career), **vars(options.pairing), seed=options.target.seed)
    played = game.play(people.matches)
    _write_record(played.matches, options.target)
    if options.target.truth:
        _write_truth(played.to_frame(), options.target.truth)


def _start(target: RecordTarget, source: str | None = None) -> None:
    """Before any work: files that can be written, and that are not the one that is read."""
    listen()
    check_targets([source] if source else [], target.out, getattr(target, "truth", None))


def _load_schedule(source: str) -> Matches:
    """The matches of --on, which leaves nothing to say about them."""
    refuse_options(f"--on takes this from {source}", refused=("players", "matches", "per_match", "draws", "activity"))
    return load_by_usual_names(source, "--on")


def _play_strengths(sd: float, people: PopulationOptions, habits: HabitOptions, target: Target) -> None:
    from ludometer.simulate import StrengthGame

    game = StrengthGame(people.players, sd, habits.draws, habits.activity, target.seed, people.per_match)
    _write_game(game, people.matches, target)


def _write_game(game: DeterministicGame | StrengthGame | MoveGame, n_matches: int, target: Target) -> None:
    from ludometer.players import Players

    by_seat = getattr(game, "per_match", 2) > 2
    players = Players.numbered(game.n_players)
    _write(game.batches(n_matches), n_matches, players, target, by_seat=by_seat, skill=game.skill)


def _write_record(matches: Matches, target: RecordTarget, skill: Floats | None = None) -> None:
    from ludometer.matches import Seats

    by_seat = isinstance(matches.table, Seats)
    _write(matches.parts(), len(matches), matches.players, target, by_seat=by_seat, skill=skill)


def _write(
    batches: Iterable[Matches],
    n_matches: int,
    players: Players,
    target: RecordTarget,
    *,
    by_seat: bool,
    skill: Floats | None,
) -> None:
    from ludometer.report.files import write_matches

    with counting("simulate", "matches", n_matches) as on_rows:
        write_matches(batches, target.out, by_seat=by_seat, on_rows=on_rows)
    note(f"wrote {n_matches:,} matches of {len(players):,} players to {target.out}")
    if skill is not None and isinstance(target, Target) and target.truth:
        import polars as pl

        _write_truth(pl.DataFrame({"player": players.names, "skill": skill}), target.truth)


def _write_truth(frame: pl.DataFrame, path: Path) -> None:
    from ludometer.report.files import write_frame

    write_frame(frame, path)
    note(f"wrote the true skills to {path}")
