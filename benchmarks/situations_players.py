"""Who the players are: cheats, bots, shared accounts, learners, players whose strength changes."""

from __future__ import annotations

import numpy as np

from ludometer.arrays import Codes, Floats
from ludometer.matches import Matches
from situations import (
    COIN,
    DAY,
    HIGH,
    LOW,
    MUCH,
    Deterministic,
    HalfDrawn,
    Log,
    PlatformRating,
    SharedAccounts,
    TwoClasses,
    World,
    situation,
)


def _clean(world: World, weight: Floats | None = None) -> Matches:
    first, second = world.meet(weight=weight)
    return world.record(first, second, world.score(first, second), world.clock())


def _moving(world: World, first: Codes, second: Codes, at: Floats, *, memory: float) -> Matches:
    """Skills that forget: their correlation falls to 1 / e over a time `memory`, in the unit of `at`."""
    skill, seen = world.skill.copy(), np.zeros(world.n_players)
    chance = np.empty(len(first))
    noise = world.rng.standard_normal((len(first), 2))
    for row, pair in enumerate(zip(first.tolist(), second.tolist(), strict=True)):
        for player, fresh in zip(pair, noise[row], strict=True):
            kept = np.exp(-(at[row] - seen[player]) / memory)
            skill[player] = kept * skill[player] + np.sqrt(1 - kept**2) * fresh
            seen[player] = at[row]
        chance[row] = world.game.chance(skill[pair[0]], skill[pair[1]])
    return world.record(first, second, world.toss(chance), at * 30 * DAY)


@situation("forgetting in 25%", "skills forget in a quarter of the record", HIGH, LOW, MUCH, kind="table")
def forgetting(world: World) -> Matches:
    """x of the moment."""
    return _moving(world, *world.meet(), world.clock(days=1) / DAY, memory=0.25)


@situation("forgetting in 8%", "skills forget in a twelfth of the record", HIGH, LOW, kind="table")
def fast_forgetting(world: World) -> Matches:
    """x of the moment."""
    return _moving(world, *world.meet(), world.clock(days=1) / DAY, memory=0.08)


@situation("drift with rest", "players come in three seasons, and are others after each rest", HIGH, LOW)
def drift_with_rest(world: World) -> Matches:
    """Half of the variance is new in each season."""
    first, second = world.meet()
    season = np.arange(len(first)) * 3 // len(first)
    skills = np.sqrt(0.5) * (world.skill + world.rng.standard_normal((3, world.n_players)))
    won = world.toss(world.game.chance(skills[season, first], skills[season, second]))
    return world.record(first, second, won, world.clock() + season * 90 * DAY)


@situation(
    "5% cheats", "a twentieth of the players win 95% against all others", LOW, COIN, kind="table", same_players=False
)
def cheats(world: World) -> Matches:
    """A coin among themselves."""
    first, second = world.meet()
    cheat = np.arange(world.n_players) < world.n_players // 20
    chance = world.chance(first, second)
    chance = np.where(cheat[first] & ~cheat[second], 0.95, np.where(cheat[second] & ~cheat[first], 0.05, chance))
    return world.record(first, second, world.toss(chance), world.clock())


@situation("punching bags", "a twentieth of the players are bots who lose 95%", LOW, COIN, same_players=False)
def punching_bags(world: World) -> Matches:
    """A coin among themselves."""
    first, second = world.meet()
    bot = np.arange(world.n_players) < world.n_players // 20
    chance = world.chance(first, second)
    chance = np.where(bot[first] & ~bot[second], 0.05, np.where(bot[second] & ~bot[first], 0.95, chance))
    return world.record(first, second, world.toss(chance), world.clock())


@situation("consoling bots", "after two losses the platform gives a bot that loses 90%", COIN, LOW, same_players=False)
def consoling_bots(world: World) -> Matches:
    """Twenty bots."""
    log, lost = Log(world), np.zeros(world.n_players, int)
    for number in range(world.n_matches):
        one = int(world.rng.integers(20, world.n_players))
        if lost[one] >= 2:
            other, won = int(world.rng.integers(20)), bool(world.rng.random() < 0.9)
            log.add(one, other, won, 200.0 * number)
        else:
            other = 20 + (one - 20 + int(world.rng.integers(1, world.n_players - 20))) % (world.n_players - 20)
            won = log.play(one, other, 200.0 * number)
            lost[other] = lost[other] + 1 if won else 0
        lost[one] = 0 if won else lost[one] + 1
    return log.record()


@situation("house", "a house account with + 0.05 has part in half of the matches", COIN, LOW, same_players=False)
def house(world: World) -> Matches:
    """The others meet each other at random."""
    first, second = world.meet()
    first[world.rng.random(len(first)) < 0.5] = 0
    second = np.where(second == 0, 1 + world.rng.integers(0, world.n_players - 1, len(second)), second)
    kept = first != second
    first, second = first[kept], second[kept]
    won = np.where(first == 0, world.rng.random(len(first)) < 0.55, world.decide(first, second))
    flip = world.rng.random(len(first)) < 0.5
    one, other = np.where(flip, second, first), np.where(flip, first, second)
    return world.record(one, other, won != flip, world.clock(len(first)))


@situation("equal bots", "a fifth of the accounts are copies of one bot", HIGH, LOW, same_players=False)
def equal_bots(world: World) -> Matches:
    """They are as strong as the middle; among themselves a coin."""
    world.skill[: world.n_players // 5] = 0.0
    return _clean(world)


@situation("one busy bot", "one bot plays a fifth of the matches", LOW, HIGH, same_players=False)
def busy_bot(world: World) -> Matches:
    """It is as strong as the middle."""
    world.skill[0] = 0.0
    weight = np.ones(world.n_players)
    weight[0] = world.n_players / 9
    return _clean(world, weight)


@situation("regulars are better", "activity grows with skill", HIGH, LOW, MUCH, kind="table")
def better_regulars(world: World) -> Matches:
    """One SD is e times as active."""
    return _clean(world, np.exp(world.skill))


@situation("regulars are worse", "activity falls with skill: the good ones have other things to do", HIGH, LOW)
def worse_regulars(world: World) -> Matches:
    """One SD is e times less active."""
    return _clean(world, np.exp(-world.skill))


@situation("account shared by three", "each account belongs to three persons", SharedAccounts(), kind="table")
def shared_accounts(world: World) -> Matches:
    """The truth is that of the accounts."""
    return _clean(world)


@situation(
    "one account in five shared",
    "a fifth of the accounts have two owners of different strength",
    HIGH,
    same_players=False,
)
def some_shared(world: World) -> Matches:
    """They take turns at random."""
    first, second = world.meet()
    shared = np.arange(world.n_players) < world.n_players // 5
    other = world.game.skills(world.rng, world.n_players)
    coin = world.rng.random((2, len(first))) < 0.5
    ours, theirs = (
        np.where(shared[player] & turn, other[player], world.skill[player])
        for player, turn in zip((first, second), coin, strict=True)
    )
    return world.record(first, second, world.toss(world.game.chance(ours, theirs)), world.clock())


@situation("sold accounts", "a third of the accounts change hands at a date", HIGH, LOW)
def sold_accounts(world: World) -> Matches:
    """The new owner is anybody."""
    first, second = world.meet()
    moment = np.linspace(0, 1, len(first))
    date = np.where(world.rng.random(world.n_players) < 1 / 3, world.rng.random(world.n_players), 2.0)
    new = world.game.skills(world.rng, world.n_players)
    ours, theirs = (np.where(moment > date[player], new[player], world.skill[player]) for player in (first, second))
    return world.record(first, second, world.toss(world.game.chance(ours, theirs)), world.clock())


@situation("smurfs", "the best fifth begins a new account every 60 matches, in a queue of 8", HIGH)
def smurfs(world: World) -> Matches:
    """New accounts begin at the middle."""
    people = world.n_players // 2
    strong = np.flatnonzero(world.skill[:people] > np.quantile(world.skill[:people], 0.8))
    account, spare = list(range(people)), list(range(people, world.n_players))
    platform, log = PlatformRating(np.zeros(world.n_players)), Log(world)
    played, is_strong = np.zeros(world.n_players, int), np.zeros(people, bool)
    is_strong[strong] = True
    for number in range(world.n_matches):
        one, *others = world.rng.choice(people, 9, replace=False).tolist()
        ratings = platform.rating[[account[other] for other in others]]
        other = others[int(np.abs(ratings - platform.rating[account[one]]).argmin())]
        a, b = account[one], account[other]
        platform.update(a, b, log.play(a, b, 200.0 * number))
        for person in (one, other):
            played[account[person]] += 1
            if is_strong[person] and played[account[person]] >= 60 and spare:
                account[person] = spare.pop()
                world.skill[account[person]] = world.skill[person]
    return log.record()


@situation(
    "boosting",
    "a twentieth of the accounts are lifted by helpers who lose to them on purpose",
    LOW,
    COIN,
    same_players=False,
)
def boosting(world: World) -> Matches:
    """A third of their matches are against helpers of their own."""
    first, second = world.meet()
    boosted = world.n_players // 20
    rows = world.rng.random(len(first)) < 1 / 60
    first[rows] = world.rng.integers(0, boosted, rows.sum())
    second[rows] = first[rows] + world.n_players - boosted
    won = world.decide(first, second) | rows
    flip = world.rng.random(len(first)) < 0.5
    one, other = np.where(flip, second, first), np.where(flip, first, second)
    return world.record(one, other, won != flip, world.clock())


@situation(
    "traded wins", "circles of two who trade wins for bonuses: a fifth of all matches", HIGH, LOW, same_players=False
)
def traded_wins(world: World) -> Matches:
    """Each wins every other match."""
    first, second = world.meet()
    won = world.decide(first, second)
    rows = np.flatnonzero(world.rng.random(len(first)) < 0.2)
    circle = 2 * world.rng.integers(0, world.n_players // 16, len(rows))
    first[rows], second[rows] = circle, circle + 1
    for number in np.unique(circle):
        mine = rows[circle == number]
        won[mine] = np.arange(len(mine)) % 2 == 0
    return world.record(first, second, won, world.clock())


@situation("learning", "newcomers begin two SDs lower and learn over their first 60 matches", HIGH, LOW)
def learning(world: World) -> Matches:
    """Players join all the time."""
    at = np.sort(world.rng.random(world.n_matches))
    joined = np.where(world.rng.random(world.n_players) < 0.4, 0.0, world.rng.random(world.n_players) * 0.8)
    played, first, second, chance = np.zeros(world.n_players), [], [], []
    for moment in at:
        here = np.flatnonzero(joined <= moment)
        one, other = world.rng.choice(here, 2, replace=False).tolist()
        ours, theirs = (world.skill[who] - 2 * np.exp(-played[who] / 20) for who in (one, other))
        chance.append(float(world.game.chance(ours, theirs)))
        played[[one, other]] += 1
        first.append(one)
        second.append(other)
    return world.record(np.array(first), np.array(second), world.toss(np.array(chance)), at * 30 * DAY)


@situation("skill after 50 matches", "only who has 50 matches can play; before that a coin decides", LOW, n_players=300)
def skill_after_fifty(world: World) -> Matches:
    """As much skill in the later matches as makes x over all matches."""
    first, second = world.meet()
    played = np.zeros(world.n_players, int)
    knows = np.zeros(len(first), bool)
    for row, pair in enumerate(zip(first.tolist(), second.tolist(), strict=True)):
        knows[row] = played[list(pair)].min() >= 50
        played[list(pair)] += 1
    assert world.game.x is not None
    later = Deterministic(min(100.0, world.game.x / knows.mean()))
    chance = np.where(knows, later.chance(world.skill[first], world.skill[second]), 0.5)
    return world.record(first, second, world.toss(chance), world.clock())


@situation(
    "styles", "rock, paper and scissors: each style beats the next in 90%, nobody is better", COIN, transitive=False
)
def styles(world: World) -> Matches:
    """Not a coin, but nobody is better than everybody else."""
    first, second = world.meet()
    step = (second - first) % 3
    chance = np.select([step == 1, step == 2], [0.9, 0.1], 0.5)
    return world.record(first, second, world.toss(chance), world.clock())


@situation(
    "handicaps", "the better player gives a handicap that halves their edge", HIGH, traceless=True, same_players=False
)
def handicaps(world: World) -> Matches:
    """The file does not say so: the game as it was played has 30%."""
    first, second = world.meet()
    chance = 0.5 + (world.chance(first, second) - 0.5) / 2
    return world.record(first, second, world.toss(chance), world.clock())


@situation(
    "forfeits",
    "some players forget up to a fifth of their matches, which count as losses",
    LOW,
    COIN,
    same_players=False,
)
def forfeits(world: World) -> Matches:
    """A player's habit, which is no skill of the game."""
    first, second = world.meet()
    absent = 0.2 * world.rng.random(world.n_players) ** 3
    gone, away = (world.rng.random(len(first)) < absent[player] for player in (first, second))
    won = np.where(gone & ~away, False, np.where(away & ~gone, True, world.decide(first, second)))
    return world.record(first, second, won, world.clock())


@situation("many draws", "half of the matches are drawn, whoever plays", HalfDrawn(40), HalfDrawn(90), answered=0.9)
def many_draws(world: World) -> Matches:
    """The other half is played out."""
    return _clean(world)


@situation("two classes", "skills of two values", TwoClasses(20), TwoClasses(90), answered=0.9)
def two_classes(world: World) -> Matches:
    """A coin among equals."""
    return _clean(world)


@situation(
    "provisional", "nine of ten accounts play fewer than 25 matches", COIN, LOW, HIGH, n_players=600, answered=0.9
)
def provisional(world: World) -> Matches:
    """60 regulars, and many who try it."""
    weight = np.where(np.arange(world.n_players) < 60, 30.0, 1.0)
    return _clean(world, weight)
