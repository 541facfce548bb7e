"""What a rating system is, and `rate`: play a record through one and list the players."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol, Self, TypeVar

import numpy as np

from ludometer.arrays import Codes, Counts, Floats, Mask, Times
from ludometer.errors import LudometerError, MatchDataError
from ludometer.matches import Fingerprint, Matches, Pairs, as_moment
from ludometer.players import Players
from ludometer.ratings.listed import Baseline, Ratings, find_provisional
from ludometer.result import Provenance

if TYPE_CHECKING:
    from ludometer.ratings.saved import SavedState, StartRatings

State = TypeVar("State")

_log = logging.getLogger(__name__)


class FittingSystem(Protocol):
    """A rating system whose parameters are fitted to a record before it plays."""

    @property
    def name(self) -> str:
        """What users call it."""
        ...

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters that are not fitted."""
        ...

    def fitted(self, matches: Matches, *, in_sample: bool) -> RatingSystem[Any]:
        """The system with its parameters; `in_sample` if it will be scored on the same matches."""
        ...


class RatingSystem(Protocol[State]):
    """A frozen dataclass of parameters; the state is a value, never changed in place.

    Playing two halves of a record equals playing the whole, bit for bit. Codes beyond those that a state knows are
    newcomers: `play` lets them in, so a state of no players is a good start. A system that uses optional columns of a
    record names them in an attribute `uses`, such as ("score",); see `check_usable`. A state knows players by their
    codes only: to play on with another file use `rate(matches, state=...)`, which knows them by name.

    Optional methods: `uncertainty(state)` gives the SD of each rating, `newcomer_sd(state)` that of a newcomer if it is
    not `uncertainty(start(1))`, `shared_sd(state)` the part that all ratings share; `enter(state, players, rating, sd,
    matches)` lets new players in at known ratings before these matches (an SD may be NaN). To be saved, a state is a
    dataclass of arrays, numbers and dataclasses; fields that only save work have metadata={"is_saved": False}.
    `play_with_levels` is `play` with the mean rating of each pair before its match as a third result. Parameters that
    can be tuned are named in an attribute `tunable` (`systems.tuning`).
    """

    @property
    def name(self) -> str:
        """What users call it."""
        ...

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters by name."""
        ...

    def start(self, n_players: int) -> State:
        """The state before any match."""
        ...

    def play(self, state: State, matches: Matches) -> tuple[State, Floats]:
        """The state after the matches, and what was expected before each was played.

        For two-player matches that is what the first player was expected to score, one number per match; for
        multiplayer matches each seat's expected share of the largest prize, one number per seat.
        """
        ...

    def ratings(self, state: State) -> Floats:
        """The rating of each player in Elo points."""
        ...

    def expect(self, state: State, first: Codes, second: Codes) -> Floats:
        """What each first player is expected to score against each second one in this state."""
        ...


AnySystem = RatingSystem[Any] | FittingSystem


def play_with_levels(system: RatingSystem[Any], state: Any, matches: Matches) -> tuple[Any, Floats, Floats | None]:
    """`play`, and the mean rating of each pair in Elo points, for two-player matches and systems that know it."""
    knows = getattr(system, "play_with_levels", None)
    if knows is None or not isinstance(matches.table, Pairs):
        return *system.play(state, matches), None
    after, expected, level = knows(state, matches)
    return after, expected, level


def check_usable(system: AnySystem, matches: Matches) -> None:
    """Refuse teams to a system that cannot use them, and log which columns it ignores.

    Columns that nobody asked for it ignores without a word.
    """
    used = matches.unasked.union(getattr(system, "uses", ()))
    if "side" not in used:
        matches.refuse_teams(system.name)
    ignored = [name.replace("_", " ") for name in matches.columns if name not in used]
    if ignored:
        *most, last = ignored
        _log.info("%s ignores the %s", system.name, f"{', '.join(most)} and {last}" if most else last)


def prepare(system: AnySystem, matches: Any, scored: Mask | None = None) -> RatingSystem[Any]:
    """The system ready to play: one with parameters to fit is fitted to all matches, or to those not scored."""
    if isinstance(matches, Matches) and hasattr(system, "name"):
        check_usable(system, matches)
    if not hasattr(system, "fitted"):
        if not hasattr(system, "play"):
            raise LudometerError(f"a rating system is needed, such as Elo(k=24), not {system!r}")
        return system
    if not isinstance(matches, Matches):
        raise LudometerError(f"{system.name} needs the whole record first: leave out --stream")
    if scored is None:
        return system.fitted(matches, in_sample=True)
    if scored.all():
        raise LudometerError(f"{system.name} is fitted to matches before those that are scored, and there are none")
    return system.fitted(matches.take(~scored), in_sample=False)


def rate(
    matches: Matches | Iterable[Matches],
    *,
    system: AnySystem | None = None,
    state: SavedState | None = None,
    refit: bool = False,
    start_ratings: StartRatings | None = None,
    at: Any = None,
    since: Any = None,
) -> Ratings:
    """Ratings of all players after the last match, by the default system of the catalogue unless one is given.

    A stream of batches (`stream_matches`) is played as it comes, with only the players in memory.

    With a `state` (`new_state`, `load_state`) only matches that it does not hold are played, with the parameters that
    it carries; players are known by name. The ratings that come back have the next `state`. `refit` fits the parameters
    again, to the whole record, which `matches` must then be. Players in `start_ratings` enter at those ratings.

    `at` leaves out matches after that day, month, year or number. `since` sets where the change of each rating is
    counted from: the ratings before that moment; where times are dates, the start of the last match's year by default.

    >>> matches = Matches.of_pairs([0, 0, 1], [1, 2, 2], [1, 1, 0.5], players=Players.named(["Ann", "Ben", "Cem"]))
    >>> rate(matches).to_frame()["player"].to_list()
    ['Ann', 'Cem', 'Ben']
    """
    from ludometer.ratings.catalogue import default_system
    from ludometer.ratings.held import number_by_play
    from ludometer.ratings.saved import SavedState, new_state

    played = matches if at is None else _until(matches, at)
    if state is not None or start_ratings is not None:
        if not isinstance(played, Matches):
            raise LudometerError("a state and start ratings need the whole file: leave out --stream")
        if state is None:
            state = new_state(default_system(played) if system is None else system)
        elif not isinstance(state, SavedState):
            raise LudometerError(
                f"a state that knows its players is needed, from new_state(system) or load_state(file), not {state!r}"
            )
        return _rate_on(played, state, system, refit=refit, start_ratings=start_ratings, since=since)
    if not isinstance(played, Matches):
        chosen = prepare(default_system(played) if system is None else system, played)
        return _play_all(chosen, played, since)
    ordered, code = number_by_play(played)
    ratings = _play_all(prepare(default_system(played) if system is None else system, ordered), ordered, since)
    return ratings if ordered is played else ratings.renumbered(code, played.players)


def _play_all(system: RatingSystem[Any], matches: Iterable[Matches], since: Any) -> Ratings:
    run = Run(system, system.start(0), Tally(), since=since)
    for batch in matches:
        run.play(batch)
    return run.ratings()


def _rate_on(
    matches: Matches,
    saved: SavedState,
    system: AnySystem | None,
    *,
    refit: bool,
    start_ratings: StartRatings | None,
    since: Any,
) -> Ratings:
    """Play what a state does not hold."""
    from ludometer.ratings.held import hash_matches, number_by_name
    from ludometer.ratings.saved import SavedState, new_state

    hashes = hash_matches(matches, with_scores="score" in getattr(saved.origin, "uses", ()))
    if system is not None and system.name != saved.name:
        saved.refuse_other(system)
    if refit:
        saved.held.check_whole(hashes)
        saved = new_state(saved.origin if system is None else system)
    elif system is not None and system not in (saved.origin, saved.system):
        saved.refuse_other(system)
    new = saved.held.find_new(matches, hashes)
    entering = None if start_ratings is None else start_ratings.without(saved.players)
    known = saved.players if entering is None else saved.players.joined(entering.players)
    fresh = number_by_name(matches.take(new), known)
    if not len(fresh) and not saved.n_matches:
        raise MatchDataError("there are no matches")
    chosen = prepare(saved.origin if saved.system is None else saved.system, fresh)
    state = chosen.start(0) if saved.system is None else saved.state
    if entering is not None:
        state = entering.enter(chosen, state, len(saved.players), fresh)
    run = Run(chosen, state, Tally.of(saved), baseline=saved.baseline, since=since)
    run.play(fresh)
    held = saved.held.add(hashes[new], fresh.time)
    tally, ratings = run.tally, run.ratings()
    after = SavedState(
        origin=saved.origin,
        system=chosen,
        state=run.state,
        players=fresh.players,
        played=tally.played,
        last=tally.last,
        n_draws=tally.n_draws,
        held=held,
        baseline=run.year.baseline,
    )
    return replace(ratings, state=after, provenance=replace(ratings.provenance, data=held.fingerprint))


def _until(matches: Matches | Iterable[Matches], at: Any) -> Matches | Iterable[Matches]:
    """Only matches until this day, month, year or number, which counts whole."""
    if not isinstance(matches, Matches):
        return (kept for kept in (_cut(batch, at) for batch in matches) if len(kept))
    kept = _cut(matches, at)
    if len(matches) and not len(kept):
        assert matches.time is not None
        raise MatchDataError(f"there are no matches until {at}: the first was at {matches.time[0]}")
    return kept


def _cut(matches: Matches, at: Any) -> Matches:
    _check_matches(matches)
    time = _times_of(matches, "--at")
    moment = as_moment(at, time)
    if time.dtype.kind != "M":
        return matches.part(0, int(np.searchsorted(time, moment, "right")))
    text = str(at).strip().replace(" ", "T").removesuffix("Z")
    # one more of the unit in which it is written: a day, a month or a year counts whole
    return matches.part(0, int(np.searchsorted(time, (np.datetime64(text) + 1).astype("datetime64[us]"), "left")))


def _check_matches(batch: Any) -> None:
    if not isinstance(batch, Matches):
        raise LudometerError("Matches are needed: read_matches(...) makes them of a file or a table")


def _times_of(matches: Matches, purpose: str) -> Times:
    if matches.time is None:
        raise MatchDataError(f"{purpose} needs times, which these matches do not have; --time names a column")
    return matches.time


class Run:
    """A record on its way through a rating system: the state, counts per player, and ratings to compare with."""

    def __init__(
        self,
        system: RatingSystem[Any],
        state: Any,
        tally: Tally,
        *,
        baseline: Baseline | None = None,
        since: Any = None,
    ) -> None:
        self.system, self.state, self.tally = system, state, tally
        self.year = _Mark(baseline)
        self.asked = None if since is None else _Mark(baseline, since)

    def play(self, batch: Matches) -> None:
        """Play the next matches; where a mark lies among them, in two parts with a look at the ratings between them."""
        _check_matches(batch)
        done = 0
        for place, mark in sorted(self._marks(batch), key=lambda found: found[0]):
            if place > done:
                self._play(batch.part(done, place))
            mark.take(self.system, self.state, self.tally)
            done = place
        if done < len(batch) or len(batch.players) > len(self.tally.played):
            self._play(batch.part(done, len(batch)) if done else batch)

    def ratings(self) -> Ratings:
        """The list of players now."""
        mark = self.year if self.asked is None else self.asked
        if mark.baseline is None and self.asked is not None and mark.moment is not None:
            # nothing was played since
            mark.take(self.system, self.state, self.tally)
        return replace(self.tally.ratings(self.system, self.state), baseline=mark.baseline)

    def _marks(self, batch: Matches) -> Iterator[tuple[int, _Mark]]:
        for mark in filter(None, (self.year, self.asked)):
            place = mark.find(batch, self.tally)
            if place is not None:
                yield place, mark

    def _play(self, part: Matches) -> None:
        self.tally.add(part)
        self.state, _ = self.system.play(self.state, part)


class _Mark:
    """Where changes are counted from: a moment that was asked for, or the start of the year of the last match."""

    def __init__(self, baseline: Baseline | None = None, since: Any = None) -> None:
        self.since = since
        self.moment: Times | None = None
        self.baseline = baseline if since is None else None
        self._known = baseline

    def find(self, batch: Matches, tally: Tally) -> int | None:
        """The first match of the batch that counts as a change; None if there is none, or it was in an earlier one."""
        if self.since is not None:
            return self._find_asked(batch, _times_of(batch, "--since"), tally)
        if batch.time is None or batch.time.dtype.kind != "M" or not len(batch):
            return None
        self.moment = batch.time[-1:].astype("datetime64[Y]").astype("datetime64[us]")
        if self.baseline is not None and self.baseline.since[0] == self.moment[0]:
            return None
        return int(np.searchsorted(batch.time, self.moment[0]))

    def take(self, system: RatingSystem[Any], state: Any, tally: Tally) -> None:
        """Note the ratings of those who have played."""
        assert self.moment is not None
        rating = system.ratings(state) if tally.n_matches else np.empty(0)
        self.baseline = Baseline(self.moment, np.where(tally.played > 0, rating, np.nan))

    def _find_asked(self, batch: Matches, time: Times, tally: Tally) -> int | None:
        if self.baseline is not None:
            return None
        if self.moment is None:
            self.moment = np.array([as_moment(self.since, time)])
            if self._known is not None and self._known.since[0] == self.moment[0]:
                self.baseline = self._known
                return None
            if tally.last is not None and self.moment[0] <= tally.latest:
                raise LudometerError(
                    f"the state holds matches since {self.since}, the last at {tally.latest}, and no ratings from "
                    "before: give a later --since, or leave out --state"
                )
        place = int(np.searchsorted(time, self.moment[0]))
        return place if place < len(batch) else None


class Tally:
    """Counts per player beside the rating, batch by batch."""

    def __init__(self) -> None:
        self.players: Players | None = None
        self.n_matches = 0
        self.played: Counts = np.zeros(0, np.int64)
        self.n_draws = 0
        self.last: Times | None = None
        self.digest = Fingerprint()

    @classmethod
    def of(cls, saved: SavedState) -> Self:
        """The counts of a state, to go on from; the fingerprint is that of the matches that follow."""
        tally = cls()
        tally.players, tally.n_matches, tally.n_draws = saved.players, saved.n_matches, saved.n_draws
        tally.played, tally.last = saved.played, saved.last
        return tally

    @property
    def latest(self) -> Any:
        """When the last match was."""
        assert self.last is not None
        # as integers NaT is the smallest
        return self.last[np.argmax(self.last.view(np.int64) if self.last.dtype.kind == "M" else self.last)]

    def add(self, batch: Matches) -> None:
        """Take in the next batch."""
        _check_matches(batch)
        self.players = batch.players
        self.n_matches += len(batch)
        self.n_draws += batch.n_draws
        self.digest.add(batch)
        grown = len(batch.players) - len(self.played)
        self.played = np.concatenate((self.played, np.zeros(grown, np.int64))) + batch.counts
        if batch.time is not None:
            self._note_times(batch, grown)

    def ratings(self, system: RatingSystem[Any], state: Any) -> Ratings:
        """The list of players in this state."""
        if self.players is None or not self.n_matches:
            raise MatchDataError("there are no matches")
        uncertainty = getattr(system, "uncertainty", None)
        shared_sd = getattr(system, "shared_sd", None)
        sd = None if uncertainty is None else uncertainty(state)
        return Ratings(
            players=self.players,
            rating=system.ratings(state),
            matches=self.played,
            last=self.last,
            sd=sd,
            n_matches=self.n_matches,
            draw_rate=self.n_draws / self.n_matches,
            provenance=Provenance(system.name, system.parameters, self.digest.hexdigest()),
            marked=find_provisional(system, state, self.played, sd),
            shared_sd=0.0 if shared_sd is None else shared_sd(state),
        )

    def _note_times(self, batch: Matches, grown: int) -> None:
        assert batch.time is not None
        never = np.datetime64("NaT") if batch.time.dtype.kind == "M" else np.array(-1 << 62)
        known = np.empty(0, batch.time.dtype) if self.last is None else self.last
        last = np.concatenate((known, np.full(grown, never, batch.time.dtype)))
        # as integers NaT is the smallest, so a maximum works
        time = batch.time.astype(last.dtype)
        values, latest = (a.view(np.int64) if a.dtype.kind == "M" else a for a in (time, last))
        table = batch.table
        if isinstance(table, Pairs):
            np.maximum.at(latest, table.first, values)
            np.maximum.at(latest, table.second, values)
        else:
            np.maximum.at(latest, table.player, np.repeat(values, table.sizes))
        self.last = last
