"""Leagues with known truth: players enter, learn, find opponents, are rated, and leave."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from ludometer.arrays import Codes, Counts, Floats, Halves
from ludometer.chart_style import ACCENT, INK
from ludometer.errors import LudometerError
from ludometer.matches import Matches, Pairs, owned
from ludometer.players import Players
from ludometer.result import Provenance, Shown
from ludometer.scale import ELO, from_elo, to_elo
from ludometer.simulate.tables import batch_size, check_table, generator, join_batches

if TYPE_CHECKING:
    import polars as pl

_PLAY = 0

_CHOICES = {
    "lifetimes": ("fixed", "exponential", "endless"),
    "learning": ("none", "unbounded", "bounded"),
    "matchmaking": ("random", "skill", "rating"),
    "start": ("entry", "truth"),
}


@dataclass(frozen=True)
class LeagueGame:
    """A league of constant size: a newcomer replaces each leaver at once. SDs, gains and steps are in Elo points.

    Skills at entry are normal around 0 with `sd`; players stay for `games` matches on average. They learn log(1 + rate
    t) in natural units after t matches (`unbounded`; Smith 1994, section 5.2), or gain (1 - exp(-rate t)) (`bounded`).
    Opponents are `random`, or within a `window` of true `skill` or of the visible `rating`. Ratings move by
    (h / 2) (S - E) with h = `step`. Newcomers are rated 0 or, with an `entry_error`, at a first estimate of their
    skill; so are the first players, unless they start at the `truth`. With `shares_out` the points that leavers gained
    since they entered are shared out equally among the others (Smith 1994, section 8.3), which keeps the mean rating.
    """

    n_players: int
    sd: float = 200.0
    games: float = 100.0
    lifetimes: Literal["fixed", "exponential", "endless"] = "fixed"
    learning: Literal["none", "unbounded", "bounded"] = "none"
    learning_rate: float = 0.02
    learning_gain: float = 200.0
    matchmaking: Literal["random", "skill", "rating"] = "random"
    window: float = 100.0
    step: float = 32.0
    entry_error: float | None = None
    start: Literal["entry", "truth"] = "entry"
    shares_out: bool = False
    seed: int = 0

    def __post_init__(self) -> None:
        check_table(self.n_players, 2, self.seed)
        for name, known in _CHOICES.items():
            if getattr(self, name) not in known:
                raise LudometerError(f"{name} must be one of {', '.join(known)}, not {getattr(self, name)!r}")
        for name in ("sd", "learning_rate", "learning_gain", "window", "step"):
            value = getattr(self, name)
            if not (math.isfinite(value) and value >= 0):
                raise LudometerError(f"{name} must be a number from 0 up, not {value}")
        if not (math.isfinite(self.games) and self.games >= 1):
            raise LudometerError(f"the games in a lifetime must be a number from 1 up, not {self.games}")
        if self.entry_error is not None and not 0 <= self.entry_error <= self.sd:
            raise LudometerError(
                f"the error at entry must be from 0 to the SD of skills, {self.sd:g} (nothing is known of a newcomer), "
                f"not {self.entry_error}"
            )

    def batches(self, n_matches: int) -> Iterator[Matches]:
        """The matches in batches; each has all players who have entered so far."""
        season = Season(self)
        for size in _sizes(n_matches):
            yield season.play(size)

    def play(self, n_matches: int) -> League:
        """Play the matches and keep them, with the truth of all players."""
        season = Season(self)
        batches = [season.play(size) for size in _sizes(n_matches)]
        players = Players.numbered(season.n_people)
        joined = join_batches(batches, players)
        time = owned(np.concatenate([batch.time for batch in batches if batch.time is not None]))
        return season.league(Matches(players, joined.table, time))

    def follow(self, n_generations: int, *, warm_up: int = 0) -> LeagueHistory:
        """Play generations of `games` matches per player and keep means only: for long and large leagues.

        >>> history = LeagueGame(200, games=20, shares_out=True).follow(3)
        >>> history.to_frame()["mean_rating"].round(6).abs().to_list()
        [0.0, 0.0, 0.0]
        """
        season = Season(self)
        n = max(round(self.n_players * self.games / 2), 1)
        rows = []
        for generation in range(warm_up + n_generations):
            known = season.n_people
            season.forget_errors()
            for size in _sizes(n):
                season.play_unseen(size)
            if generation >= warm_up:
                rows.append(season.means(known, n))
        rating, skill, leavers, noise, bias = np.array(rows).T
        return LeagueHistory(rating, skill, leavers, noise, bias, self.provenance)

    @property
    def provenance(self) -> Provenance:
        """The parameters and the seed."""
        parameters = {name: value for name, value in vars(self).items() if name != "seed"}
        return Provenance("league", parameters, seed=self.seed)


@dataclass(frozen=True, eq=False)
class League(Shown):
    """The matches of a league, timed by rounds (one match per player on average), and the truth by player code."""

    matches: Matches
    entered: Counts
    """The round; -1 for players present from the start."""
    left: Counts
    """The round; -1 for players still present."""
    skill_at_entry: Floats
    skill: Floats
    """At the end: of the record, or of the career."""
    rating_at_entry: Floats
    rating: Floats
    played: Counts
    provenance: Provenance

    def to_frame(self) -> pl.DataFrame:
        """player, skill, skill_at_entry, rating, rating_at_entry, entered, left (null if not), matches."""
        import polars as pl

        entered, left = (
            pl.Series(name, values).replace(-1, None)
            for name, values in (("entered", self.entered), ("left", self.left))
        )
        return pl.DataFrame(
            {
                "player": self.matches.players.names,
                "skill": self.skill,
                "skill_at_entry": self.skill_at_entry,
                "rating": self.rating,
                "rating_at_entry": self.rating_at_entry,
                "entered": entered,
                "left": left,
                "matches": self.played,
            }
        )

    def summary(self) -> str:
        """Numbers of matches and players, and how far ratings are from skills at the end."""
        here = self.left < 0
        error = self.rating[here] - self.skill[here]
        return (
            f"{len(self.matches):,} matches; {len(self.skill):,} players, {int(here.sum()):,} of them still present: "
            f"mean skill {self.skill[here].mean():.0f}, mean rating {self.rating[here].mean():.0f}, "
            f"noise {error.std():.0f}"
        )

    def charts(self, *, narrow: bool = False) -> dict[str, Any]:
        """Ratings against true skills of players still present, at most 2000."""
        import altair as alt

        here = np.flatnonzero(self.left < 0)[:2000]
        points = [{"skill": float(self.skill[k]), "rating": float(self.rating[k])} for k in here]
        chart = (
            alt.Chart(
                alt.InlineData(values=points),
                width=260 if narrow else 360,
                height=260 if narrow else 360,
                title="Ratings and true skills",
            )
            .mark_point(filled=True, size=12, color=INK)
            .encode(x=alt.X("skill:Q", title="True skill (Elo points)"), y=alt.Y("rating:Q", title="Rating"))
        )
        return {"ratings": chart}


@dataclass(frozen=True, eq=False)
class LeagueHistory(Shown):
    """A league by generation, in Elo points: means of the players at its end, and the noise during it."""

    mean_rating: Floats
    mean_skill: Floats
    leavers_rating: Floats
    """Of players who entered before and left during the generation; NaN without any."""
    noise: Floats
    """The SD of rating minus skill, over the players of all matches."""
    bias: Floats
    """The mean of rating minus skill."""
    provenance: Provenance

    def to_frame(self) -> pl.DataFrame:
        """One row per generation."""
        import polars as pl

        columns = {name: value for name, value in vars(self).items() if name != "provenance"}
        return pl.DataFrame({"generation": np.arange(1, len(self.noise) + 1)} | columns).fill_nan(None)

    @property
    def total_noise(self) -> float:
        """Over all generations."""
        return math.sqrt(float((self.noise**2).mean()))

    @property
    def noise_std_error(self) -> float:
        """From the differences between generations, as if they were independent."""
        squares = self.noise**2
        return float(squares.std(ddof=1) / math.sqrt(len(squares)) / (2 * self.total_noise))

    def summary(self) -> str:
        """First and last generation."""
        return (
            f"{len(self.noise)} generations: mean rating {self.mean_rating[0]:.1f} to {self.mean_rating[-1]:.1f}, "
            f"mean skill {self.mean_skill[0]:.1f} to {self.mean_skill[-1]:.1f}, noise {self.total_noise:.1f}"
        )

    def charts(self, *, narrow: bool = False) -> dict[str, Any]:
        """Mean rating and mean skill by generation."""
        import altair as alt

        rows = [
            {"generation": g, "mean": float(value), "of": name}
            for name, values in (("rating", self.mean_rating), ("true skill", self.mean_skill))
            for g, value in enumerate(values, 1)
        ]
        chart = (
            alt.Chart(
                alt.InlineData(values=rows),
                width=270 if narrow else 460,
                height=240,
                title="Ratings and skills over generations",
            )
            .mark_line()
            .encode(
                x=alt.X("generation:Q", title="Generation"),
                y=alt.Y("mean:Q", title="Mean (Elo points)"),
                color=alt.Color("of:N", title="Mean of", scale=alt.Scale(range=[ACCENT, INK])),
            )
        )
        return {"means": chart}


class Season:
    """A league while it is played; the kernel moves its arrays."""

    def __init__(self, game: LeagueGame) -> None:
        from ludometer.kernels.league import Places, enter

        self.game, n = game, game.n_players
        self.rng = generator(game.seed, _PLAY)
        self.rules = _rules(game)
        codes, ages, lives = np.zeros(n, np.int32), np.zeros(n, np.int64), np.zeros(n, np.int64)
        people = np.zeros((2 * n, 7))
        self.places = Places(
            codes, ages, lives, np.zeros(n), np.zeros(n), np.zeros(n), people, np.zeros(2, np.int64), np.zeros(4)
        )
        for place in range(n):
            enter(self.rng, self.rules, self.places, place)
        self._age()

    @property
    def n_people(self) -> int:
        """All who ever entered."""
        return int(self.places.counts[0])

    def play(self, n_matches: int) -> Matches:
        """The next matches, timed by rounds."""
        done = int(self.places.counts[1])
        columns = self._play(n_matches)
        time = owned(2 * np.arange(done, done + n_matches) // self.game.n_players)
        return Matches(Players.numbered(self.n_people), Pairs(*map(owned, columns)), time)

    def play_unseen(self, n_matches: int) -> None:
        """The next matches, of which only the players keep a trace."""
        self._play(n_matches)

    def league(self, matches: Matches) -> League:
        """The truth, with these matches."""
        from ludometer.kernels import league as columns

        people = self.places.people[: self.n_people].T
        entered, left = (
            np.where(people[k] > 0, 2 * people[k] // self.game.n_players, -1).astype(np.int64)
            for k in (columns.ENTERED, columns.LEFT)
        )
        points = (columns.SKILL_AT_ENTRY, columns.SKILL, columns.RATING_AT_ENTRY, columns.RATING)
        skill_at_entry, skill, rating_at_entry, rating = (to_elo(people[k]) for k in points)
        here = self.places.code
        # points that were shared out to them after their last match
        rating[here] = to_elo(self.places.rating + self.places.sums[columns.OFFSET])
        played = people[columns.PLAYED].astype(np.int64)
        provenance = self.game.provenance
        return League(matches, entered, left, skill_at_entry, skill, rating_at_entry, rating, played, provenance)

    def forget_errors(self) -> None:
        """Begin to sum errors anew."""
        self.places.sums[1:] = 0.0

    def means(self, known: int, n_matches: int) -> tuple[float, float, float, float, float]:
        """What `LeagueHistory` has of the last `n_matches`; `known` had entered before them."""
        from ludometer.kernels import league as columns

        places, done = self.places, int(self.places.counts[1])
        left = places.people[:known]
        left = left[left[:, columns.LEFT] > done - n_matches]
        visits, errors, squares = places.sums[columns.VISITS :]
        bias = errors / visits
        return (
            float(to_elo(places.rating.mean() + places.sums[columns.OFFSET])),
            float(to_elo(places.skill.mean())),
            float(to_elo(left[:, columns.RATING].mean())) if len(left) else math.nan,
            ELO * math.sqrt(max(squares / visits - bias**2, 0.0)),
            ELO * bias,
        )

    def _play(self, n_matches: int) -> tuple[Codes, Codes, Halves]:
        from ludometer.kernels.league import play_league

        people = self.places.people
        needed = self.n_people + 2 * n_matches
        if needed > len(people):
            larger = np.zeros((max(needed, 3 * len(people) // 2), people.shape[1]))
            larger[: self.n_people] = people[: self.n_people]
            self.places = self.places._replace(people=larger)
        first, second = np.empty(n_matches, np.int32), np.empty(n_matches, np.int32)
        halves = np.empty(n_matches, np.int8)
        play_league(self.rng, self.rules, self.places, first, second, halves)
        return first, second, halves

    def _age(self) -> None:
        """The first players are as old as those of a league that has been there for long."""
        from ludometer.kernels import league as columns

        game, places = self.game, self.places
        n, people = game.n_players, self.places.people[: game.n_players]
        if game.lifetimes == "exponential":
            # players of any age have as many matches ahead of them as newcomers
            places.age[:] = self.rng.geometric(1 / game.games, n) - 1
            places.life[:] += places.age
        elif game.lifetimes == "fixed":
            places.age[:] = (self.rng.random(n) * places.life).astype(np.int64)
        places.skill[:] = places.origin + _learned(game, places.age)
        people[:, columns.SKILL] = places.skill
        if game.start == "truth":
            places.rating[:] = places.skill
            people[:, columns.RATING] = places.rating


def simulate_league(n_players: int, n_matches: int, **settings: Any) -> Matches:
    """Matches of a league with the settings of `LeagueGame`, which has the truth too, and batches for long records.

    >>> matches = simulate_league(100, 5000, games=50, learning="bounded", seed=1)
    >>> len(matches), len(matches.players), int(matches.time[-1])
    (5000, 299, 99)
    """
    return LeagueGame(n_players, **settings).play(n_matches).matches


def _sizes(n_matches: int) -> Iterator[int]:
    """Sizes of batches: random numbers continue from one to the next, so sizes change nothing."""
    if n_matches < 1:
        raise LudometerError("at least 1 match has to be played")
    size = batch_size(8)
    for start in range(0, n_matches, size):
        yield min(size, n_matches - start)


def _rules(game: LeagueGame) -> Any:
    from ludometer.kernels.league import Rules

    unknown = 1.0
    if game.entry_error is not None and game.sd:
        unknown = (game.entry_error / game.sd) ** 2
    return Rules(
        sd=float(from_elo(game.sd)),
        games=math.inf if game.lifetimes == "endless" else float(game.games),
        exponential=game.lifetimes == "exponential",
        learning=_CHOICES["learning"].index(game.learning),
        rate=float(game.learning_rate),
        gain=float(from_elo(game.learning_gain)),
        matchmaking=_CHOICES["matchmaking"].index(game.matchmaking),
        window=float(from_elo(game.window)),
        step=float(from_elo(game.step / 2)),
        unknown=unknown,
        shares_out=bool(game.shares_out),
    )


def _learned(game: LeagueGame, age: Counts) -> Floats:
    if game.learning == "unbounded":
        return np.asarray(np.log1p(game.learning_rate * age))
    if game.learning == "bounded":
        return np.asarray(-from_elo(game.learning_gain) * np.expm1(-game.learning_rate * age))
    return np.zeros(len(age))
