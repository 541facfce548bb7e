"""Who meets whom: queues, ladders, Swiss tournaments, divisions, circles, and schedules that do no harm."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ludometer.arrays import Counts
from ludometer.matches import Matches
from situations import (
    COIN,
    DAY,
    HIGH,
    HOUR,
    LITTLE,
    LOW,
    MIDDLE,
    MUCH,
    Log,
    PlatformRating,
    World,
    situation,
)


@situation(
    "random", "everybody meets everybody at random", COIN, LOW, MIDDLE, HIGH, LITTLE, MUCH, kind="held up", answered=0.9
)
def random_pairs(world: World) -> Matches:
    """The clean record."""
    first, second = world.meet()
    return world.record(first, second, world.decide(first, second), world.clock())


@situation(
    "Zipf", "the r-th most active plays in proportion to 1 / r^0.8", COIN, LOW, HIGH, kind="held up", answered=0.9
)
def zipf(world: World) -> Matches:
    """Activity has nothing to do with skill."""
    first, second = world.meet(weight=np.arange(1.0, world.n_players + 1) ** -0.8)
    return world.record(first, second, world.decide(first, second), world.clock())


@situation(
    "few regulars", "a tenth of the players play nine tenths of the seats", LOW, HIGH, kind="held up", answered=0.9
)
def few_regulars(world: World) -> Matches:
    """The others come now and then."""
    weight = np.where(np.arange(world.n_players) < world.n_players // 10, 81.0, 1.0)
    first, second = world.meet(weight=weight)
    return world.record(first, second, world.decide(first, second), world.clock())


@situation(
    "late newcomers", "half of the players join after half of the record", LOW, HIGH, kind="held up", answered=0.9
)
def late_newcomers(world: World) -> Matches:
    """Then all meet at random."""
    half = world.n_matches // 2
    early = np.where(np.arange(world.n_players) < world.n_players // 2, 1.0, 0.0)
    parts = world.meet(half, early), world.meet(world.n_matches - half)
    first, second = (np.concatenate(seats) for seats in zip(*parts, strict=True))
    return world.record(first, second, world.decide(first, second), world.clock())


@situation("survivorship", "the weaker half stays for 30 matches only", LOW, HIGH, kind="held up", answered=0.9)
def survivorship(world: World) -> Matches:
    """They come one after the other."""
    weak = np.flatnonzero(world.skill < np.median(world.skill))
    strong = np.flatnonzero(world.skill >= np.median(world.skill))
    here, waiting = list(weak[:60]), list(weak[60:])
    left = np.full(world.n_players, 30)
    first, second = [], []
    for _ in range(world.n_matches):
        room = np.concatenate((strong, here)).astype(int)
        a, b = world.rng.choice(len(room), 2, replace=False)
        first.append(room[a])
        second.append(room[b])
        for one in (room[a], room[b]):
            left[one] -= 1
            if left[one] == 0 and one in here:
                here.remove(one)
                if waiting:
                    here.append(waiting.pop())
    one, other = np.array(first), np.array(second)
    return world.record(one, other, world.decide(one, other), world.clock())


@situation(
    "two accounts in turn",
    "each person has two accounts and uses them in turn",
    LOW,
    HIGH,
    kind="held up",
    answered=0.9,
)
def two_accounts(world: World) -> Matches:
    """The second account is as strong as the first."""
    half = world.n_players // 2
    world.skill[half : 2 * half] = world.skill[:half]
    first, second = world.meet()
    same = first % half == second % half
    first, second = first[~same], second[~same]
    return world.record(first, second, world.decide(first, second), world.clock(len(first)))


def _in_groups(world: World, group: Counts, inside: float) -> Matches:
    """Opponents mostly from the own group."""
    first, second = world.meet()
    wanted = world.rng.random(len(first)) < inside
    while (again := np.flatnonzero((first == second) | (wanted & (group[first] != group[second])))).size:
        second[again] = world.draw(len(again))
    return world.record(first, second, world.decide(first, second), world.clock())


@situation("friends", "circles of eight who mostly play each other", COIN, LOW, HIGH, kind="held up", answered=0.9)
def friends(world: World) -> Matches:
    """Four of five matches."""
    return _in_groups(world, np.arange(world.n_players) // 8, 0.8)


@situation(
    "regions",
    "five regions of equal strength, nine of ten matches inside",
    COIN,
    LOW,
    HIGH,
    kind="held up",
    answered=0.9,
)
def regions(world: World) -> Matches:
    """Drawn at random."""
    return _in_groups(world, np.arange(world.n_players) % 5, 0.9)


@situation(
    "regions that differ", "five regions of different strength, 97 of 100 matches inside", LOW, HIGH, answered=0.7
)
def unequal_regions(world: World) -> Matches:
    """Half of the variance of skill lies between them."""
    region = np.arange(world.n_players) % 5
    world.skill = 0.7 * world.skill + 0.7 * world.rng.standard_normal(5)[region]
    return _in_groups(world, region, 0.97)


def _queue(world: World, choose: Callable[[PlatformRating, int, Log], int], k: float = 24.0) -> Matches:
    """Whoever comes is given an opponent by the platform's own current ratings."""
    platform, log = PlatformRating(np.zeros(world.n_players), k), Log(world)
    coming = world.draw(world.n_matches)
    for number, one in enumerate(coming.tolist()):
        other = choose(platform, one, log)
        platform.update(one, other, log.play(one, other, 200.0 * number))
    return log.record()


def _nearest(world: World, candidates: int) -> Matches:
    waiting = world.rng.integers(0, world.n_players, (world.n_matches, candidates))

    def choose(platform: PlatformRating, one: int, log: Log) -> int:
        apart = np.abs(platform.rating[waiting[len(log)]] - platform.rating[one])
        apart[waiting[len(log)] == one] = np.inf
        nearest = int(waiting[len(log)][apart.argmin()])
        return nearest if nearest != one else (one + 1) % world.n_players

    return _queue(world, choose)


@situation(
    "nearest of 8",
    "the platform pairs by its own current Elo, the nearest of 8",
    LOW,
    HIGH,
    COIN,
    LITTLE,
    MUCH,
    kind="table",
    answered=0.5,
)
def nearest_of_8(world: World) -> Matches:
    """A queue of eight."""
    return _nearest(world, 8)


@situation(
    "nearest of 50",
    "the platform pairs by its own current Elo, the nearest of 50",
    COIN,
    LOW,
    HIGH,
    MUCH,
    kind="table",
    answered=0.5,
)
def nearest_of_50(world: World) -> Matches:
    """A long queue."""
    return _nearest(world, 50)


@situation("nearest of 2", "the platform takes the nearer of two who wait", LOW, HIGH, answered=0.5)
def nearest_of_2(world: World) -> Matches:
    """A mild queue."""
    return _nearest(world, 2)


@situation("widening window", "an arena: the window of ratings widens until somebody is inside", COIN, LOW, HIGH, MUCH)
def widening_window(world: World) -> Matches:
    """20 wait at any time; the one who has waited longest is served, and takes the first inside 25, 50, 100, ..."""
    platform, log = PlatformRating(np.zeros(world.n_players), 24), Log(world)
    room = world.rng.permutation(world.n_players)
    here, away = room[:20].tolist(), room[20:].tolist()
    for number in range(world.n_matches):
        one = here.pop(0)
        apart = np.abs(platform.rating[here] - platform.rating[one])
        window = 25.0
        while not (inside := np.flatnonzero(apart <= window)).size:
            window *= 2
        other = here.pop(int(inside[0]))
        platform.update(one, other, log.play(one, other, 200.0 * number))
        away += [one, other]
        for _ in range(2):
            here.append(away.pop(int(world.rng.integers(len(away)))))
    return log.record()


@situation("Glicko queue", "a queue by Glicko: newcomers move fast, nearest of 10", LOW, HIGH, MUCH)
def glicko_queue(world: World) -> Matches:
    """Steps shrink from 120 to 12 with the number of matches."""
    played, rating = np.zeros(world.n_players), np.zeros(world.n_players)
    log, waiting = Log(world), world.rng.integers(0, world.n_players, (world.n_matches, 10))
    for number, one in enumerate(world.draw(world.n_matches).tolist()):
        others = waiting[number][waiting[number] != one]
        other = int(others[np.abs(rating[others] - rating[one]).argmin()])
        won = log.play(one, other, 200.0 * number)
        surprise = won - 1 / (1 + 10 ** ((rating[other] - rating[one]) / 400))
        for player, sign in ((one, 1), (other, -1)):
            rating[player] += sign * max(12.0, 120 / (1 + played[player] / 3)) * surprise
            played[player] += 1
    return log.record()


@situation("rooms by rating", "rooms for bands of the platform's rating, random inside", COIN, LOW, HIGH)
def rooms(world: World) -> Matches:
    """Bands of 100 points."""

    def choose(platform: PlatformRating, one: int, _: Log) -> int:
        band = np.floor(platform.rating / 100)
        room = np.flatnonzero(band == band[one])
        others = room[room != one] if len(room) > 1 else np.delete(np.arange(world.n_players), one)
        return int(world.rng.choice(others))

    return _queue(world, choose)


@situation("seeded newcomers", "newcomers come late, with a rating near their strength, into a queue of 10", HIGH, LOW)
def seeded_newcomers(world: World) -> Matches:
    """From 100 players to all."""
    platform = PlatformRating(100 * world.skill + 60 * world.rng.standard_normal(world.n_players))
    log = Log(world)
    for number in range(world.n_matches):
        here = int(100 + (world.n_players - 100) * number / world.n_matches)
        one, *others = world.rng.choice(here, 11, replace=False).tolist()
        other = others[int(np.abs(platform.rating[others] - platform.rating[one]).argmin())]
        platform.update(one, other, log.play(one, other, 200.0 * number))
    return log.record()


@situation(
    "ladder", "a ladder: challenge somebody up to five places above, and change places on a win", COIN, LOW, HIGH
)
def ladder(world: World) -> Matches:
    """Places are random at first."""
    log, order = Log(world), world.rng.permutation(world.n_players)
    for number in range(world.n_matches):
        place = int(world.rng.integers(1, world.n_players))
        above = max(0, place - int(world.rng.integers(1, 6)))
        if log.play(int(order[place]), int(order[above]), 200.0 * number):
            order[place], order[above] = order[above], order[place]
    return log.record()


def _swiss(world: World, rounds: int, size: int = 32, late_draws: float = 0.0) -> Matches:
    """Equal points meet; in the last three rounds the leaders may agree to draws."""
    log, event = Log(world), 0
    while not log.is_full:
        field = world.rng.permutation(world.n_players)[:size]
        points = np.zeros(size)
        for number in range(rounds):
            order = np.lexsort((world.rng.random(size), -points))
            at = event * DAY / 2 + number * HOUR
            for board, (a, b) in enumerate(order.reshape(-1, 2).tolist()):
                if number >= rounds - 3 and board < size // 4 and world.rng.random() < late_draws:
                    log.add(int(field[a]), int(field[b]), 0.5, at)
                    points[[a, b]] += 0.5
                else:
                    points[a if log.play(int(field[a]), int(field[b]), at) else b] += 1
        event += 1
    return log.record()


@situation("Swiss", "Swiss tournaments of 32 players and 5 rounds", HIGH, LOW, MUCH, kind="table", answered=0.7)
def swiss(world: World) -> Matches:
    """A new field each time."""
    return _swiss(world, 5)


@situation("Swiss of 9 rounds", "Swiss tournaments of 64 players and 9 rounds", COIN, LOW, HIGH, LITTLE, answered=0.7)
def long_swiss(world: World) -> Matches:
    """A new field each time."""
    return _swiss(world, 9, size=64)


@situation("agreed draws", "Swiss tournaments whose leaders agree to draws in the last three rounds", HIGH, LOW)
def agreed_draws(world: World) -> Matches:
    """Seven of ten of them."""
    return _swiss(world, 7, late_draws=0.7)


@situation(
    "4 divisions", "four divisions by strength, and a few cup matches", HIGH, LOW, MUCH, kind="table", answered=0.7
)
def divisions(world: World) -> Matches:
    """One match in twenty is a cup match."""
    group = world.skill.argsort().argsort() * 4 // world.n_players
    return _in_groups(world, group, 0.95)


@situation("promotion", "seasons in four divisions with promotion and relegation, random at first", COIN, LOW, HIGH)
def promotion(world: World) -> Matches:
    """Ten seasons; a tenth goes up and a tenth down."""
    order = world.rng.permutation(world.n_players).reshape(4, -1)
    size, seasons = order.shape[1], 10
    log, moving = Log(world), order.shape[1] // 10
    for season in range(seasons):
        for level in range(4):
            points = np.zeros(size)
            for number in range(world.n_matches // (4 * seasons)):
                a, b = world.rng.choice(size, 2, replace=False).tolist()
                at = season * 20 * DAY + number * 5_000.0 + level
                points[a if log.play(int(order[level, a]), int(order[level, b]), at) else b] += 1
            order[level] = order[level, np.argsort(-points, kind="stable")]
        for level in range(3):
            down = order[level, -moving:].copy()
            order[level, -moving:] = order[level + 1, :moving]
            order[level + 1, :moving] = down
    return log.record()


@situation("round robins", "leagues of 20 who all play each other, new leagues each season", LOW, HIGH, answered=0.9)
def round_robins(world: World) -> Matches:
    """Drawn at random."""
    a, b = np.triu_indices(20, 1)
    parts = []
    for season in range(world.n_matches // (len(a) * world.n_players // 20) + 1):
        for league in world.rng.permutation(world.n_players).reshape(-1, 20):
            parts.append((league[a], league[b], season * 30 * DAY + world.rng.random(len(a)) * 29 * DAY))
    first, second, seconds = (np.concatenate(columns) for columns in zip(*parts, strict=True))
    return world.record(first, second, world.decide(first, second), seconds)


@situation("pros and amateurs", "the best fifth meets only the others", HIGH, LOW, MUCH, kind="table")
def pros(world: World) -> Matches:
    """Pros never meet each other, nor amateurs."""
    order = (-world.skill).argsort()
    best, rest = order[: world.n_players // 5], order[world.n_players // 5 :]
    first, second = world.rng.choice(best, world.n_matches), world.rng.choice(rest, world.n_matches)
    flip = world.rng.random(world.n_matches) < 0.5
    first, second = np.where(flip, second, first), np.where(flip, first, second)
    return world.record(first, second, world.decide(first, second), world.clock())


@situation("hunting", "whoever comes plays the weakest of 8", HIGH, LOW, kind="table")
def hunting(world: World) -> Matches:
    """By true strength."""
    first = world.draw(world.n_matches)
    others = world.rng.integers(0, world.n_players, (world.n_matches, 8))
    second = others[np.arange(world.n_matches), world.skill[others].argmin(axis=1)]
    kept = first != second
    first, second = first[kept], second[kept]
    flip = world.rng.random(len(first)) < 0.5
    first, second = np.where(flip, second, first), np.where(flip, first, second)
    return world.record(first, second, world.decide(first, second), world.clock(len(first)))


@situation("hunting by rating", "whoever comes plays the lowest rated of 8", COIN, LOW, HIGH)
def hunting_by_rating(world: World) -> Matches:
    """By the platform's current rating."""
    waiting = world.rng.integers(0, world.n_players, (world.n_matches, 8))

    def choose(platform: PlatformRating, one: int, log: Log) -> int:
        others = waiting[len(log)][waiting[len(log)] != one]
        return int(others[platform.rating[others].argmin()]) if len(others) else (one + 1) % world.n_players

    return _queue(world, choose)
