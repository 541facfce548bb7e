"""How files come about: copies, histories, two rows for one match, tables and teams written as pairs."""

from __future__ import annotations

import numpy as np

from ludometer.arrays import Array, Codes, Floats, Mask
from ludometer.matches import Matches
from situations import COIN, DAY, HIGH, HOUR, LITTLE, LOW, MUCH, Deterministic, World, situation

Rows = tuple[Codes, Codes, Mask, Array]


def _clean(world: World) -> tuple[Codes, Codes, Mask, Floats]:
    first, second = world.meet()
    return first, second, world.decide(first, second), world.clock()


def _join(one: Rows, other: Rows) -> list[Array]:
    return [np.concatenate(columns) for columns in zip(one, other, strict=True)]


@situation(
    "mirrored",
    "every match stands twice, once from each player's side",
    COIN,
    HIGH,
    LITTLE,
    kind="table",
    answered=0.9,
    n_matches=6_000,
)
def mirrored(world: World) -> Matches:
    """Both rows have the same time."""
    first, second, won, seconds = _clean(world)
    twice = _join((first, second, won, seconds), (second, first, ~won, seconds))
    return world.record(*twice)


@situation(
    "mirrored, clocks differ",
    "both clients report the match, and their clocks differ by some seconds",
    COIN,
    answered=0.9,
    n_matches=6_000,
)
def mirrored_by_clients(world: World) -> Matches:
    """Up to 20 seconds."""
    first, second, won, seconds = _clean(world)
    late = seconds + world.rng.uniform(-20, 20, len(seconds))
    return world.record(*_join((first, second, won, seconds), (second, first, ~won, np.abs(late))))


@situation(
    "histories",
    "the players' own histories put together, one player after the other, no times",
    COIN,
    HIGH,
    answered=0.9,
    n_matches=6_000,
)
def histories(world: World) -> Matches:
    """Each match is in two of them, from the owner's side."""
    first, second, won, _ = _clean(world)
    ours, theirs, result, number = _join(
        (first, second, won, np.arange(len(first))), (second, first, ~won, np.arange(len(first)))
    )
    order = np.lexsort((number, ours))
    return world.record(ours[order], theirs[order], result[order])


@situation(
    "histories of some",
    "the histories of half of the players put together: matches between two of them stand twice",
    COIN,
    HIGH,
    answered=0.9,
)
def histories_of_some(world: World) -> Matches:
    """Rows from the owner's side, with times."""
    first, second, won, seconds = _clean(world)
    known = world.rng.random(world.n_players) < 0.5
    ours, theirs, result, at = _join((first, second, won, seconds), (second, first, ~won, seconds))
    kept = known[ours.astype(int)]
    return world.record(ours[kept], theirs[kept], result[kept], at[kept])


@situation("appended", "after a crash the last third of the file was written again, no times", COIN, HIGH, answered=0.9)
def appended(world: World) -> Matches:
    """Far apart in the file."""
    first, second, won, _ = _clean(world)
    rows = np.concatenate((np.arange(len(first)), np.arange(2 * len(first) // 3, len(first))))
    return world.record(first[rows], second[rows], won[rows])


@situation("doubled file", "a file appended to itself, no times", COIN, LOW, answered=0.9, n_matches=6_000)
def doubled(world: World) -> Matches:
    """The same order twice."""
    first, second, won, _ = _clean(world)
    return world.record(np.tile(first, 2), np.tile(second, 2), np.tile(won, 2))


@situation("overlapping months", "months 1 to 4 and 3 to 6 put together", COIN, HIGH, answered=0.9)
def overlapping(world: World) -> Matches:
    """The two months in the middle stand twice."""
    first, second, won, _ = _clean(world)
    seconds = world.clock(days=180)
    early, late = np.flatnonzero(seconds < 120 * DAY), np.flatnonzero(seconds >= 60 * DAY)
    rows = np.concatenate((early, late))
    return world.record(first[rows], second[rows], won[rows], seconds[rows])


@situation(
    "two time zones",
    "the same matches twice, an hour apart: two exports, one in summer time",
    COIN,
    LOW,
    answered=0.9,
    n_matches=6_000,
)
def time_zones(world: World) -> Matches:
    """Every match again, an hour later."""
    first, second, won, seconds = _clean(world)
    return world.record(*_join((first, second, won, seconds), (first, second, won, seconds + HOUR)))


@situation("uploaded again", "a fifth of the rows stand three times: uploads that were tried again", COIN, answered=0.9)
def uploaded_again(world: World) -> Matches:
    """With the same time."""
    first, second, won, seconds = _clean(world)
    rows = np.repeat(np.arange(len(first)), np.where(world.rng.random(len(first)) < 0.2, 3, 1))
    return world.record(first[rows], second[rows], won[rows], seconds[rows])


@situation("winner first", "the winner is always listed first", COIN, HIGH, LITTLE, MUCH, answered=0.9)
def winner_first(world: World) -> Matches:
    """No distortion at all, but nothing can be said about seats."""
    first, second, won, seconds = _clean(world)
    return world.record(np.where(won, first, second), np.where(won, second, first), np.ones(len(won)), seconds)


@situation("sorted by winner", "winner and loser, sorted by the winner's name, no times", COIN, LOW, HIGH)
def sorted_by_winner(world: World) -> Matches:
    """The order of the file is not that of play."""
    first, second, won, _ = _clean(world)
    winner, loser = np.where(won, first, second), np.where(won, second, first)
    order = np.argsort(winner, kind="stable")
    return world.record(winner[order], loser[order], np.ones(len(order)))


@situation("sorted by result", "sorted by the first player and then by the result, no times", COIN, HIGH)
def sorted_by_result(world: World) -> Matches:
    """A player's wins stand together."""
    first, second, won, _ = _clean(world)
    order = np.lexsort((won, first))
    return world.record(first[order], second[order], won[order])


@situation("sorted within months", "times are months, and a month is sorted by the winner's name", COIN, HIGH)
def sorted_within_months(world: World) -> Matches:
    """Six months."""
    first, second, won, _ = _clean(world)
    month = np.arange(len(first)) * 6 // len(first)
    winner, loser = np.where(won, first, second), np.where(won, second, first)
    order = np.lexsort((winner, month))
    return world.record(winner[order], loser[order], np.ones(len(order)), month[order] * 30 * DAY)


@situation("newest first", "no times, and the newest match stands first", COIN, HIGH, answered=0.9)
def newest_first(world: World) -> Matches:
    """The order of play backwards."""
    first, second, won, _ = _clean(world)
    return world.record(first[::-1], second[::-1], won[::-1])


@situation(
    "head to head", "a table of wins of each pair, written out as rows: all wins of one, then of the other", COIN, HIGH
)
def head_to_head(world: World) -> Matches:
    """Circles of 16 in which everybody meets everybody eight times, no times."""
    group = np.arange(world.n_players).reshape(-1, 16)
    a, b = np.triu_indices(16, 1)
    one, other = group[:, a].ravel(), group[:, b].ravel()
    wins = world.rng.binomial(4, world.chance(one, other))
    bridge, far = world.meet(world.n_matches // 10)
    first, second = np.concatenate((np.repeat(one, 4), bridge)), np.concatenate((np.repeat(other, 4), far))
    won = np.concatenate(((np.arange(4) < wins[:, np.newaxis]).ravel(), world.decide(bridge, far)))
    return world.record(first, second, won)


@situation(
    "rolling exports", "an export each week, each with the last three weeks", COIN, LOW, answered=0.9, n_matches=5_000
)
def rolling_exports(world: World) -> Matches:
    """Most matches stand three times."""
    first, second, won, _ = _clean(world)
    week = np.arange(len(first)) * 20 // len(first)
    rows = np.concatenate([np.flatnonzero((week <= now) & (week > now - 3)) for now in range(20)])
    seconds = world.clock(days=140)
    return world.record(first[rows], second[rows], won[rows], seconds[rows])


@situation(
    "whole exports", "an export each week, each with everything until then", COIN, LOW, answered=0.9, n_matches=3_000
)
def whole_exports(world: World) -> Matches:
    """The matches of the first of eight weeks stand eight times, those of the last once."""
    first, second, won, _ = _clean(world)
    week = np.arange(len(first)) * 8 // len(first)
    rows = np.concatenate([np.flatnonzero(week <= now) for now in range(8)])
    seconds = world.clock(days=56)
    return world.record(first[rows], second[rows], won[rows], seconds[rows])


@situation("ten copies", "a file ten times", COIN, LOW, answered=0.9, n_matches=2_000, n_players=150)
def ten_copies(world: World) -> Matches:
    """With times."""
    first, second, won, seconds = _clean(world)
    return world.record(*(np.tile(column, 10) for column in (first, second, won, seconds)))


@situation(
    "either reports", "each player reports a match with probability 0.8", COIN, LOW, HIGH, answered=0.9, n_matches=8_000
)
def either_reports(world: World) -> Matches:
    """Two thirds of the matches stand twice."""
    first, second, won, seconds = _clean(world)
    ours, theirs = (np.flatnonzero(world.rng.random(len(first)) < 0.8) for _ in range(2))
    one = first[ours], second[ours], won[ours], seconds[ours]
    other = second[theirs], first[theirs], ~won[theirs], seconds[theirs]
    return world.record(*_join(one, other))


@situation("corrected results", "the second of two exports has 3% of the results corrected", COIN, LOW, n_matches=6_000)
def corrected_results(world: World) -> Matches:
    """Everything stands twice."""
    first, second, won, seconds = _clean(world)
    other = won ^ (world.rng.random(len(won)) < 0.03)
    return world.record(*_join((first, second, won, seconds), (first, second, other, seconds)))


@situation("mirrored series", "best of three, mirrored, times are dates only", COIN, LOW, answered=0.9, n_matches=6_000)
def mirrored_series(world: World) -> Matches:
    """Two or three games of a pair on a day, each of them twice."""
    n = world.n_matches // 3
    first, second = (np.repeat(seat, 3) for seat in world.meet(n))
    won = world.decide(first, second)
    games = won.reshape(-1, 3)
    rows = np.flatnonzero(np.column_stack((np.ones((n, 2), bool), games[:, 0] != games[:, 1])))
    day = np.repeat(np.floor(world.clock(n) / DAY) * DAY, 3)[rows]
    one = first[rows], second[rows], won[rows], day
    return world.record(*_join(one, (second[rows], first[rows], ~won[rows], day)))


@situation(
    "series and games", "best of three, and the file holds the games and the result of each series", COIN, LOW, HIGH
)
def series_and_games(world: World) -> Matches:
    """The series stands after its games, with the time of the last."""
    n = world.n_matches // 4
    first, second = world.meet(n)
    won = np.column_stack([world.decide(first, second) for _ in range(3)])
    start = world.clock(n)
    decided = won[:, 0] == won[:, 1]
    rows = []
    for game in range(3):
        kept = np.ones(n, bool) if game < 2 else ~decided
        rows.append((first[kept], second[kept], won[kept, game], start[kept] + game * HOUR / 6))
    end = start + np.where(decided, 1, 2) * HOUR / 6
    rows.append((first, second, won.sum(axis=1) >= 2, end))
    return world.record(*(np.concatenate(columns) for columns in zip(*rows, strict=True)))


@situation("byes", "who has no opponent wins against an account named bye", COIN, LOW, answered=0.9)
def byes(world: World) -> Matches:
    """One match in thirty."""
    first, second, won, seconds = _clean(world)
    bye = (world.rng.random(len(first)) < 1 / 30) | (second == 0)
    second = np.where(bye, 0, second)
    won = np.where(bye, True, won)
    kept = first != 0
    return world.record(first[kept], second[kept], won[kept], seconds[kept])


@situation("two games", "two games in one file: 30% skill and 90% skill", HIGH)
def two_games(world: World) -> Matches:
    """Half of the matches each: 60% of all go to the better player."""
    first, second, _, seconds = _clean(world)
    easy, hard = Deterministic(30), Deterministic(90)
    ours, theirs = world.skill[first], world.skill[second]
    chance = np.where(world.rng.random(len(first)) < 0.5, easy.chance(ours, theirs), hard.chance(ours, theirs))
    return world.record(first, second, world.toss(chance), seconds)


def _flatten(world: World, winners: Codes, losers: Codes, seconds: Floats | None, *, shuffled: bool = True) -> Matches:
    """Rows of all pairs of one winner and one loser of a table; who stands first is random where it is shuffled."""
    flip = world.rng.random(winners.size) < 0.5 if shuffled else np.zeros(winners.size, bool)
    one, other = winners.ravel(), losers.ravel()
    at = None if seconds is None else np.repeat(seconds, winners.shape[1])
    return world.record(np.where(flip, other, one), np.where(flip, one, other), ~flip, at)


def _ranked(world: World, n_tables: int, size: int) -> Codes:
    """Tables of players, best first."""
    tables = world.sit(n_tables, size)
    order = (-world.finish(tables)).argsort(axis=1)
    return np.take_along_axis(tables, order, axis=1)


@situation(
    "six seats as pairs",
    "tables of six, written as the winner beating each other player",
    COIN,
    LOW,
    kind="table",
    answered=0.9,
    per_match=6,
    n_matches=15_000,
)
def winner_beats_each(world: World) -> Matches:
    """Five rows of one time."""
    n_tables = world.n_matches // 5
    ranked = _ranked(world, n_tables, 6)
    return _flatten(world, np.repeat(ranked[:, :1], 5, axis=1), ranked[:, 1:], world.clock(n_tables))


@situation(
    "six seats as pairs, no times",
    "tables of six, written as the winner beating each other player, winner first, no times",
    COIN,
    LOW,
    answered=0.9,
    per_match=6,
    n_matches=15_000,
)
def winner_beats_each_in_rows(world: World) -> Matches:
    """Five rows after each other."""
    ranked = _ranked(world, world.n_matches // 5, 6)
    return _flatten(world, np.repeat(ranked[:, :1], 5, axis=1), ranked[:, 1:], None, shuffled=False)


@situation(
    "order as pairs",
    "races of six, written as everybody beating everybody behind them",
    COIN,
    LOW,
    answered=0.9,
    per_match=6,
    n_players=150,
)
def order_as_pairs(world: World) -> Matches:
    """Fifteen rows of one time."""
    n_tables = world.n_matches // 15
    ranked = _ranked(world, n_tables, 6)
    ahead, behind = np.triu_indices(6, 1)
    return _flatten(world, ranked[:, ahead], ranked[:, behind], world.clock(n_tables))


def _teams(world: World, size: int) -> Matches:
    """The better team by the sum of skills, or a coin, written as all pairs of opponents."""
    n_matches = world.n_matches // size**2
    tables = world.sit(n_matches, 2 * size)
    ours, theirs = tables[:, :size], tables[:, size:]
    won = world.toss(world.game.chance(world.skill[ours].sum(axis=1), world.skill[theirs].sum(axis=1)))
    winners, losers = (np.where(won[:, np.newaxis], one, other) for one, other in ((ours, theirs), (theirs, ours)))
    return _flatten(world, np.repeat(winners, size, axis=1), np.tile(losers, (1, size)), world.clock(n_matches))


@situation(
    "5 against 5 as pairs",
    "teams of five, written as all pairs of opponents",
    COIN,
    kind="table",
    answered=0.9,
    n_players=150,
)
def teams_of_five(world: World) -> Matches:
    """25 rows of one time."""
    return _teams(world, 5)


@situation("2 against 2 as pairs", "teams of two, written as all pairs of opponents", COIN, answered=0.9)
def teams_of_two(world: World) -> Matches:
    """Four rows of one time."""
    return _teams(world, 2)


@situation(
    "six seats as pairs, seconds apart",
    "tables of six, written as the winner beating each other player, each row with its own second",
    COIN,
    LOW,
    answered=0.9,
    per_match=6,
    n_matches=15_000,
)
def winner_beats_each_in_turn(world: World) -> Matches:
    """Five rows within five seconds."""
    n_tables = world.n_matches // 5
    ranked = _ranked(world, n_tables, 6)
    seconds = (np.floor(world.clock(n_tables))[:, np.newaxis] + np.arange(5)).ravel()
    return world.record(np.repeat(ranked[:, 0], 5), ranked[:, 1:].ravel(), np.ones(5 * n_tables), seconds)


@situation(
    "tables and pairs", "half of the rows are tables of six written as pairs, half are matches of two", COIN, LOW
)
def tables_and_pairs(world: World) -> Matches:
    """By one game on one platform."""
    n_tables = world.n_matches // 10
    ranked = _ranked(world, n_tables, 6)
    first, second = world.meet(world.n_matches // 2)
    one = (
        np.repeat(ranked[:, 0], 5),
        ranked[:, 1:].ravel(),
        np.ones(5 * n_tables, bool),
        np.repeat(world.clock(n_tables), 5),
    )
    return world.record(*_join(one, (first, second, world.decide(first, second), world.clock(len(first)))))


@situation("everybody beats the last", "tables of five, written as everybody beating the last", COIN, LOW, per_match=5)
def last_loses_to_each(world: World) -> Matches:
    """Four rows of one time."""
    n_tables = world.n_matches // 4
    ranked = _ranked(world, n_tables, 5)
    return _flatten(world, ranked[:, :4], np.repeat(ranked[:, 4:], 4, axis=1), world.clock(n_tables))


@situation("neighbours as pairs", "races of six, written as each beating the next", COIN, LOW, per_match=6)
def neighbours_as_pairs(world: World) -> Matches:
    """Five rows of one time."""
    n_tables = world.n_matches // 5
    ranked = _ranked(world, n_tables, 6)
    return _flatten(world, ranked[:, :-1], ranked[:, 1:], world.clock(n_tables))


@situation("club evenings", "four players meet for a round robin, times are dates only", COIN, LOW, HIGH, answered=0.9)
def club_evenings(world: World) -> Matches:
    """Six matches of one date: no flattened tables."""
    n = world.n_matches // 6
    here, (a, b) = world.sit(n, 4), np.triu_indices(4, 1)
    first, second = here[:, a].ravel(), here[:, b].ravel()
    day = np.repeat(np.arange(n) * DAY, 6)
    return world.record(first, second, world.decide(first, second), day)


@situation("simultaneous exhibitions", "a strong player meets twelve others at the same time", COIN, LOW, HIGH, MUCH)
def exhibitions(world: World) -> Matches:
    """The best tenth give them: no flattened tables."""
    n = world.n_matches // 12
    best = (-world.skill).argsort()[: world.n_players // 10]
    here = world.sit(n, 13)
    host = world.rng.choice(best, n)
    guests = np.where(here[:, :12] == host[:, np.newaxis], here[:, 12:], here[:, :12])
    first, second = np.repeat(host, 12), guests.ravel()
    return world.record(first, second, world.decide(first, second), np.repeat(world.clock(n), 12))


@situation("whole order at tables", "tables of six with all places", COIN, LOW, HIGH, answered=0.9, per_match=6)
def places(world: World) -> Matches:
    """As it should be written."""
    n_tables = world.n_matches // 3
    tables = world.sit(n_tables, 6)
    return world.tables(tables, world.finish(tables), world.clock(n_tables))


@situation(
    "mixed table sizes",
    "two to six players at a table",
    COIN,
    LOW,
    HIGH,
    kind="held up",
    answered=0.9,
    per_match=4,
)
def mixed_sizes(world: World) -> Matches:
    """All sizes alike."""
    parts = []
    for size in range(2, 7):
        tables = world.sit(world.n_matches // 8, size)
        performance = world.finish(tables)
        parts += list(zip(tables, performance, strict=True))
    shuffled = [parts[row] for row in world.rng.permutation(len(parts))]
    starts = np.concatenate(([0], np.cumsum([len(players) for players, _ in shuffled])))
    place = np.concatenate([(-performance).argsort().argsort() + 1 for _, performance in shuffled])
    player = np.concatenate([players for players, _ in shuffled])
    return Matches.of_seats(starts, player, place, ordered=True)


@situation("missing matches", "a third of the matches is missing at random", LOW, HIGH, answered=0.9, n_matches=15_000)
def missing(world: World) -> Matches:
    """Nothing depends on what is missing."""
    first, second, won, seconds = _clean(world)
    kept = world.rng.random(len(first)) < 2 / 3
    return world.record(first[kept], second[kept], won[kept], seconds[kept])


@situation(
    "winners upload",
    "only the winner's upload counts, and players differ in how often they upload",
    COIN,
    traceless=True,
    same_players=False,
)
def winners_upload(world: World) -> Matches:
    """Who uploads more seems to win more: the same results as of a game of strengths."""
    first, second, won, seconds = _clean(world)
    diligence = world.rng.uniform(0.3, 1, world.n_players)
    kept = world.rng.random(len(first)) < diligence[np.where(won, first, second)]
    return world.record(first[kept], second[kept], won[kept], seconds[kept])


@situation(
    "losses hidden",
    "a tenth of the players have most of their losses removed",
    LOW,
    traceless=True,
    same_players=False,
)
def losses_hidden(world: World) -> Matches:
    """Seven of ten."""
    first, second, won, seconds = _clean(world)
    hiding = world.rng.random(world.n_players) < 0.1
    hidden = hiding[np.where(won, second, first)] & (world.rng.random(len(first)) < 0.7)
    return world.record(first[~hidden], second[~hidden], won[~hidden], seconds[~hidden])


@situation(
    "only finals",
    "knockouts of 16, and only semifinals and finals were kept",
    HIGH,
)
def only_finals(world: World) -> Matches:
    """Three matches of each."""
    return _knockouts(world, kept_rounds=2)


@situation("knockouts", "knockouts of 16, all rounds", LOW, HIGH, MUCH, answered=0.7)
def knockouts(world: World) -> Matches:
    """Fifteen matches of each."""
    return _knockouts(world, kept_rounds=4)


def _knockouts(world: World, kept_rounds: int) -> Matches:
    n_events = world.n_matches // (2**kept_rounds - 1)
    alive, starts = world.sit(n_events, 16), world.clock(n_events, days=200)
    parts = []
    for number in range(4):
        first, second = alive[:, 0::2], alive[:, 1::2]
        won = world.decide(first, second)
        at = np.repeat((starts + number * HOUR)[:, np.newaxis], first.shape[1], axis=1)
        if number >= 4 - kept_rounds:
            parts.append((first.ravel(), second.ravel(), won.ravel(), at.ravel()))
        alive = np.where(won, first, second)
    return world.record(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))
