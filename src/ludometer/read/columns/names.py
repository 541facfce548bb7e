"""Which columns of a file hold the players, the result, the time: found by name, or named by option."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import NoReturn, TypeVar

from ludometer.errors import LudometerError
from ludometer.read.columns import arena

Name = TypeVar("Name")

FIRST = ("player_1", "white", "winner", "home", "first", arena.FIRST)
SECOND = ("player_2", "black", "loser", "away", "second", arena.SECOND)
RESULT = ("score_1", "result", "score")
WINNER = "winner"
"""A column beside two players that names the winner."""

FIRST_WON = "first-won"
"""Instead of a column of results: the first player won every match."""

NO_TIME = "none"
"""Instead of a column of times: the order of the file counts, even if there is a column called date."""

POINTS = (
    ("score_1", "score_2"),
    ("goals_1", "goals_2"),
    ("points_1", "points_2"),
    ("home_score", "away_score"),
)
TIME = ("time", "date", "datetime", "month", "round")

UNEQUAL = (
    ("white", "black"),
    ("home", "away"),
    ("home_team", "away_team"),
    ("hometeam", "awayteam"),
    ("home_player", "away_player"),
    ("home_name", "away_name"),
    ("home_team_name", "away_team_name"),
    ("white_player", "black_player"),
    ("white_name", "black_name"),
)
"""Columns of players whose seats differ: the first one plays at home or moves first."""

WON = (("winner", "loser"), ("winner_name", "loser_name"))
"""Columns of players that say who won."""

OTHER_PLAYERS = (
    *UNEQUAL[2:],
    *WON[1:],
    ("player1", "player2"),
    ("player_a", "player_b"),
    ("team_1", "team_2"),
    ("team1", "team2"),
    ("team_a", "team_b"),
)
TEAMS = tuple(
    re.compile(pattern)
    for pattern in (
        r"player_?(?P<side>[12])_?(?P<seat>[a-z])",
        r"player_?(?P<side>[12])_(?P<seat>\d+)",
        r"player_?(?P<side>[ab])_?(?P<seat>\d+)",
        r"(?:team|side)_?(?P<side>[12ab])_?(?:player|p)_?(?P<seat>\d+|[a-z])",
        r"(?P<side>winner|loser|home|away|white|black)_?(?:player_?)?(?P<seat>\d+)(?:_?name)?",
        r"(?P<side>winner|loser|home|away|white|black)_player_(?P<seat>[a-z])",
    )
)
"""Columns with one player each of two sides, such as player_1a and player_1b against player_2a and player_2b."""
_FIRST_SIDES = ("1", "a", "winner", "home", "white")

OTHER_RESULT = ("ftr", "res", "outcome")
OTHER_POINTS = (
    ("fthg", "ftag"),
    ("hg", "ag"),
    ("home_goals", "away_goals"),
    ("home_points", "away_points"),
    ("score_home", "score_away"),
    ("goals_home", "goals_away"),
    ("white_score", "black_score"),
    ("score1", "score2"),
    ("score_a", "score_b"),
    ("team_1_score", "team_2_score"),
    ("player_1_score", "player_2_score"),
)
OTHER_TIME = ("match_date", "game_date", "tourney_date", "day", "timestamp", "played_at", "start_time", "utc_date")
"""Further names, which count only where the usual ones do not suffice: what was readable is read as before."""

MATCH = ("match", "match_id", "game", "game_id")
PLAYER = ("player",)
PLACE = ("place", "rank", "position")
SEAT_SCORE = ("score",)
SEAT_RESULT = ("result", "won", "outcome", "points")
"""Further names, as above, of a column where higher is better, or that says who won."""


class ColumnsNotFound(LudometerError):  # noqa: N818 - what happened
    """The columns have names that are not known, and no option names them."""


@dataclass(frozen=True)
class ReadOptions:
    """What the user says about a file: its columns (None is found by name) and the rows that count."""

    first: str | None = None
    """The column of the first player; several, separated by commas, are a team."""
    second: str | None = None
    split_names: str | None = None
    """What separates the players of a team in one cell, such as /."""
    score: str | None = None
    """One column with the result, or two with points, separated by a comma."""
    time: str | None = None
    match: str | None = None
    player: str | None = None
    place: str | None = None
    prizes: str | None = None
    """A column with what each seat won."""
    session: str | None = None
    """A column that says which matches belong together."""
    weight: str | None = None
    """A column with how much each match counts."""
    advantage: str | None = None
    """none, order (the first player is better off), or a column that says who is, match by match."""
    side: str | None = None
    """A column with the team of each player."""
    covariates: tuple[str, ...] | str = ()
    """Columns that a model may use, one value per match."""
    seat_covariates: tuple[str, ...] | str = ()
    """Columns that a model may use, one value per player in a match; with one row per match NAME_1 and NAME_2."""
    keep: tuple[str, ...] | str = ()
    """What is kept under its usual name: score, session, weight, advantage, side, or all of these that are there."""
    uses: tuple[str, ...] | str | None = None
    """What is kept if it is there and can be read: what a rating system `uses`. Of these score, session, advantage and
    side are found by name, and a note says so; others have to be asked for. None is the advantage, without a note."""
    order: tuple[str, ...] | str = ()
    """Columns; like every list of columns here it may be one text with commas."""
    by: str | None = None
    date_format: str | None = None
    where: str | None = None
    drop_bad_rows: bool = False
    merge_names: bool = False
    """Whether players whose names differ only in capitals and blanks are one."""
    as_read: bool = False
    """Whether places, scores and sides are meant as they stand, even where they look mistaken."""

    def __post_init__(self) -> None:
        if self.advantage is not None and not self.advantage.strip():
            raise LudometerError("--advantage: write none, order or the name of a column")
        if self.split_names is not None and not self.split_names.strip():
            raise LudometerError('--split-names: write what stands between two names, such as "/"')
        for name in ("order", "covariates", "seat_covariates", "keep", "uses"):
            given = getattr(self, name)
            if given is None:
                continue
            listed = given.split(",") if isinstance(given, str) else given
            object.__setattr__(self, name, tuple(own.strip() for own in listed if own.strip()))

    @property
    def used(self) -> tuple[str, ...]:
        """What is kept if it is there."""
        return ("advantage",) if self.uses is None else tuple(self.uses)

    @property
    def keeps(self) -> bool:
        """Whether anything beside players, results, times and the advantage is to be kept."""
        named = (self.session, self.weight, self.side)
        return any(named) or bool(self.covariates or self.seat_covariates or self.keep)


@dataclass(frozen=True)
class PairColumns:
    """One row per match: two players, and how it ended.

    That is one column of results, two of points, three of which one is 1, or none if the first player won.
    """

    first: str
    second: str
    score: tuple[str, ...]
    times: tuple[str, ...]
    """Columns that may order the matches, best first."""
    first_mates: tuple[str, ...] = ()
    """Further players on the side of the first one."""
    second_mates: tuple[str, ...] = ()
    separator: str | None = None
    """What separates the players of a team in one cell."""

    @property
    def sides(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The columns of the players of either side."""
        return (self.first, *self.first_mates), (self.second, *self.second_mates)

    @property
    def players(self) -> tuple[str, ...]:
        """The columns of all players."""
        return self.sides[0] + self.sides[1]

    @property
    def has_teams(self) -> bool:
        """Whether a side may have several players."""
        return len(self.players) > 2 or self.separator is not None

    @property
    def is_arena(self) -> bool:
        """Whether two models answered and somebody voted."""
        return (fold(self.first), fold(self.second)) == (arena.FIRST, arena.SECOND)

    @property
    def is_unequal(self) -> bool:
        """Whether the names say that the first player is better off: at home, or White."""
        stems = (_side_of(self.first), _side_of(self.second)) if len(self.players) > 2 else ()
        return (fold(self.first), fold(self.second)) in UNEQUAL or stems in UNEQUAL

    def describe(self) -> str:
        """In a few words, for the user."""
        first, second = (" + ".join(name.strip() for name in side) for side in self.sides)
        won = f"{first} won" if not self.score else " : ".join(name.strip() for name in self.score)
        return f"{first}, {second}, {won}"


@dataclass(frozen=True)
class SeatColumns:
    """One row per player in a match: their place, or a score where higher is better."""

    match: str
    player: str
    place: str | None
    score: str | None
    times: tuple[str, ...]
    """Columns that may order the matches, best first."""
    prize: str | None = None
    is_unequal = False
    """Seats of a table differ only where a column says so."""

    def describe(self) -> str:
        """In a few words, for the user."""
        prize = f", prizes {self.prize}" if self.prize else ""
        return f"{self.match}, {self.player}, {self.place or f'{self.score} (higher is better)'}{prize}"


def find_columns(names: Sequence[str], options: ReadOptions, *, file: str) -> PairColumns | SeatColumns:
    """Find the columns of a file with these column names.

    >>> find_columns(["date", "White", "Black", "Result"], ReadOptions(), file="games.csv").describe()
    'White, Black, Result'
    >>> find_columns(["Date", "HomeTeam", "AwayTeam", "FTHG", "FTAG"], ReadOptions(), file="league.csv").describe()
    'HomeTeam, AwayTeam, FTHG : FTAG'
    """
    try:
        return _find_columns(Finder(tuple(names), file), options)
    except ColumnsNotFound as error:
        try:
            return _find_columns(Finder(tuple(names), file, is_wide=True), options)
        except ColumnsNotFound:
            raise error from None


def _find_columns(finder: Finder, options: ReadOptions) -> PairColumns | SeatColumns:
    names, file = finder.names, finder.file
    is_left = options.time == NO_TIME and NO_TIME not in names
    named = None if is_left else finder.named("--time", options.time)
    # --order takes the place of a time, so a column of dates that nobody named may have gaps
    candidates = () if options.order or is_left else finder.known(TIME, OTHER_TIME)
    times = (named,) if named else finder.all_of(candidates)
    wants_seats = options.match or options.player or options.place
    if not wants_seats:
        firsts, seconds = _player_columns(finder, options)
        if firsts and seconds:
            (first, *first_mates), (second, *second_mates) = firsts, seconds
            if options.prizes:
                finder.named("--prizes", options.prizes)
                raise LudometerError(
                    f"{file}: --prizes {options.prizes}: prizes need a multiplayer record, and here one row is a "
                    "two-player match"
                )
            score = _result_columns(finder, options, first, second)
            mates = tuple(first_mates), tuple(second_mates)
            found = PairColumns(first, second, score, times, *mates, options.split_names)
            is_timed = bool(times or options.order or is_left)
            return found if is_timed or not found.is_arena else replace(found, times=finder.all_of(arena.TIMES))
    match = finder.named("--match", options.match) or finder.first_of(MATCH)
    player = finder.named("--player", options.player) or finder.first_of(PLAYER)
    if match and player and not (options.first or options.second):
        if options.split_names:
            raise LudometerError(
                f"{file}: --split-names: here each player has a row; name their team with --side COLUMN"
            )
        place = finder.named("--place", options.place) or (None if options.score else finder.first_of(PLACE))
        scores = finder.known(SEAT_SCORE, SEAT_RESULT)
        own_score = None if place else finder.named("--score", options.score) or finder.first_of(scores)
        if not place and not own_score:
            finder.fail(
                f"no column holds places or scores ({', '.join((*PLACE, *SEAT_SCORE))})",
                "it with --place COLUMN",
            )
        return SeatColumns(match, player, place, own_score, times, finder.named("--prizes", options.prizes))
    if wants_seats:
        missing = "player" if match else "match"
        finder.fail(f"no column holds the {missing}", f"it with --{missing} COLUMN")
    if options.first or options.second:
        missing = "second" if options.first else "first"
        finder.fail(f"no column holds the {missing} player", f"it with --{missing} COLUMN")
    known = ", ".join(f"{first} and {second}" for first, second in zip(FIRST, SECOND, strict=True))
    finder.fail(
        f"cannot find the columns of the two players; known names are {known}, "
        f"or {MATCH[0]} and {PLAYER[0]} in a file with one row per player",
        "others with --first COLUMN --second COLUMN --score COLUMN --time COLUMN, or in a file with one row per player "
        "--match COLUMN --player COLUMN --place COLUMN",
    )


def find_named(names: Sequence[str], wanted: Iterable[str], option: str, *, file: str) -> list[str]:
    """The columns that an option such as --order names."""
    finder = Finder(tuple(names), file)
    return [found for name in wanted if (found := finder.named(option, name))]


def _player_columns(finder: Finder, options: ReadOptions) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The first two that belong together, such as home and away; those of teams; else the first of either kind."""
    if not options.first and not options.second:
        usual = [
            _pair_columns(finder, pair) for pair in finder.known(tuple(zip(FIRST, SECOND, strict=True)), OTHER_PLAYERS)
        ]
        teams = [_team_columns(finder.names, pattern) for pattern in finder.known((), TEAMS)]
        # columns such as team_1 are players, unless they are said to be the sides of others
        for firsts, seconds in (*teams, *usual) if options.side else (*usual, *teams):
            if firsts and seconds:
                return firsts, seconds
    firsts = finder.listed("--first", options.first) or finder.all_of(FIRST)[:1]
    seconds = finder.listed("--second", options.second) or finder.all_of(SECOND)[:1]
    return firsts, seconds


def _pair_columns(finder: Finder, pair: tuple[str, str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    first, second = (finder.all_of((name,)) for name in pair)
    return first, second


def _team_columns(names: Sequence[str], pattern: re.Pattern[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The columns of the players of two sides, as far as they are called like this."""
    sides: tuple[list[tuple[int, str, str]], list[tuple[int, str, str]]] = ([], [])
    for name in names:
        if found := pattern.fullmatch(fold(name)):
            seat = found["seat"]
            sides[found["side"] not in _FIRST_SIDES].append((len(seat), seat, name))
    first, second = (tuple(name for *_, name in sorted(side)) for side in sides)
    return first, second


def _side_of(name: str) -> str | None:
    """home, of home_player_2."""
    return next((found["side"] for pattern in TEAMS if (found := pattern.fullmatch(fold(name)))), None)


def _result_columns(finder: Finder, options: ReadOptions, first: str, second: str) -> tuple[str, ...]:
    if options.score == FIRST_WON and FIRST_WON not in finder.names:
        return ()
    if options.score:
        wanted = [name.strip() for name in options.score.split(",")]
        if len(wanted) > 2:
            raise LudometerError(f"--score takes one column, or two of points; {options.score!r} names {len(wanted)}")
        return tuple(found for name in wanted if (found := finder.named("--score", name)))
    if (fold(first), fold(second)) in WON or (_side_of(first), _side_of(second)) in WON:
        return ()
    if (fold(first), fold(second)) == (arena.FIRST, arena.SECOND):
        votes = finder.all_of((WINNER,)) or finder.all_of(arena.ONE_HOT)
        if len(votes) in (1, len(arena.ONE_HOT)):
            return votes
    pairs = [finder.all_of(pair) for pair in finder.known(POINTS, OTHER_POINTS)]
    if len(pairs[0]) == 2:
        return pairs[0]
    single = finder.first_of(finder.known(RESULT, OTHER_RESULT))
    if single:
        return (single,)
    for pair in pairs:
        if len(pair) == 2:
            return pair
    winner = finder.first_of((WINNER,))
    if winner and winner != first:
        return (winner,)
    finder.fail(
        f"no column holds the result; known names are {', '.join((*RESULT, WINNER))}, and of points "
        + ", ".join(" and ".join(pair) for pair in POINTS),
        f"another with --score COLUMN; if {first!r} won every match, say --score {FIRST_WON}",
    )


def fold(name: str) -> str:
    """The name of a column in lower case, with underscores for blanks, dots and hyphens.

    >>> fold(" Home Team ")
    'home_team'
    """
    return re.sub(r"[\s.-]+", "_", name.strip().casefold())


@dataclass(frozen=True)
class Finder:
    """Finds columns of a file by name."""

    names: tuple[str, ...]
    file: str
    is_wide: bool = False
    """Whether further names count too, and blanks, dots and hyphens within a name are underscores."""
    taken: list[str] = field(default_factory=list)
    """What the user named so far: they will not mean it again."""

    def known(self, usual: tuple[Name, ...], others: tuple[Name, ...]) -> tuple[Name, ...]:
        """The names that count."""
        return (*usual, *others) if self.is_wide else usual

    def first_of(self, wanted: Iterable[str]) -> str | None:
        """The first of these names that is there, ignoring case and outer space."""
        folded = {name.strip().casefold(): name for name in reversed(self.names)}
        if self.is_wide:
            folded = {fold(name): name for name in reversed(self.names)} | folded
        return next((folded[name] for name in wanted if name in folded), None)

    def all_of(self, wanted: Iterable[str]) -> tuple[str, ...]:
        """Those of these names that are there, in this order."""
        return tuple(found for name in wanted if (found := self.first_of((name,))))

    def named(self, option: str, name: str | None) -> str | None:
        """A column that the user named; it has to be there."""
        if name is None:
            return None
        found = name if name in self.names else self.first_of((name.strip().casefold(),))
        if found is None:
            near = difflib.get_close_matches(name, [other for other in self.names if other not in self.taken], n=1)
            hint = f"; did you mean {near[0]!r}?" if near else ""
            raise LudometerError(f"{self.file}: {option} {name}: no such column{hint}\n{self.listing()}")
        self.taken.append(found)
        return found

    def listed(self, option: str, names: str | None) -> tuple[str, ...]:
        """The column that the user named, or several, separated by commas."""
        if names is None or names in self.names or "," not in names:
            found = self.named(option, names)
            return (found,) if found else ()
        return tuple(found for name in names.split(",") if (found := self.named(option, name.strip())))

    def fail(self, what: str, remedy: str) -> NoReturn:
        """Say what is not there, what is, and which option helps."""
        raise ColumnsNotFound(f"{self.file}: {what}. Name {remedy}\n{self.listing()}")

    def listing(self) -> str:
        """The columns of the file."""
        shown = ", ".join(repr(name) for name in self.names[:20])
        more = f" and {len(self.names) - 20} more" if len(self.names) > 20 else ""
        return f"The file has: {shown}{more}"
