"""Matches that are not independent: luck shared within a session, form, momentum, stopping rules, seats."""

from __future__ import annotations

import numpy as np

from ludometer.arrays import Array, Codes, Floats
from ludometer.matches import Matches
from situations import COIN, DAY, HIGH, HOUR, LITTLE, LOW, MINUTE, MUCH, Log, PlatformRating, World, situation


def _sessions(world: World, games: int) -> tuple[Codes, Codes, Floats]:
    """Pairs that play some games, and when each game begins: (sessions, games)."""
    n = world.n_matches // games
    first, second = world.meet(n)
    seconds = world.clock(n)[:, np.newaxis] + 6 * MINUTE * np.arange(games)
    return first, second, seconds


def _written(world: World, first: Codes, second: Codes, won: Array, seconds: Floats | None) -> Matches:
    """Sessions as rows."""
    games = won.shape[1]
    flat = None if seconds is None else seconds.ravel()
    return world.record(np.repeat(first, games), np.repeat(second, games), won.ravel(), flat)


def _shared_coin(world: World, games: int) -> tuple[Codes, Codes, Floats, Floats]:
    """Each game goes to the better player with probability x, else to whom the session's coin favours."""
    first, second, seconds = _sessions(world, games)
    coin = world.rng.random(len(first)) < 0.5
    assert world.game.x is not None
    by_skill = world.rng.random((len(first), games)) < world.game.x / 100
    better = world.skill[first] > world.skill[second]
    return first, second, np.where(by_skill, better[:, np.newaxis], coin[:, np.newaxis]), seconds


@situation("sessions of 3", "sessions of three games that share one coin", COIN, LOW, kind="table", answered=0.9)
def sessions_of_three(world: World) -> Matches:
    """The same two players, minutes apart."""
    return _written(world, *_shared_coin(world, 3))


@situation("sessions of 3, no times", "sessions of three games that share one coin, rows without times", COIN, LOW)
def sessions_in_rows(world: World) -> Matches:
    """In runs of rows."""
    first, second, won, _ = _shared_coin(world, 3)
    return _written(world, first, second, won, None)


@situation("sessions of 3, by date", "sessions of three games that share one coin, times are dates only", COIN, LOW)
def sessions_by_date(world: World) -> Matches:
    """All matches of a day in the order of the file, pairs mixed."""
    first, second, won, seconds = _shared_coin(world, 3)
    order = np.argsort(seconds.ravel(), kind="stable")
    one, other, result = np.repeat(first, 3)[order], np.repeat(second, 3)[order], won.ravel()[order]
    return world.record(one, other, result, np.floor(seconds.ravel()[order] / DAY) * DAY)


@situation(
    "hands at tables of 5",
    "tables of five that play four hands with the same luck",
    COIN,
    LOW,
    kind="table",
    answered=0.9,
    per_match=5,
    n_matches=9_600,
)
def hands(world: World) -> Matches:
    """Each hand goes by strength with probability x, else by the table's luck."""
    n_tables = world.n_matches // 4
    tables = world.sit(n_tables, 5)
    luck = np.repeat(world.rng.random(tables.shape), 4, axis=0)
    rows = np.repeat(tables, 4, axis=0)
    seconds = (world.clock(n_tables)[:, np.newaxis] + 3 * MINUTE * np.arange(4)).ravel()
    return world.tables(rows, world.finish(rows, luck), seconds)


@situation("form of the day", "a form that lasts for the ten games of a day", COIN, kind="table", answered=0.9)
def form_of_the_day(world: World) -> Matches:
    """24 players a day; who is in better form has + 0.3."""
    return _days(world, in_form=0.3)


@situation("form of the day, weaker", "a form of ± 0.1 that lasts for the ten games of a day", LOW)
def weak_form(world: World) -> Matches:
    """The same with less of it."""
    return _days(world, in_form=0.1)


def _days(world: World, in_form: float) -> Matches:
    games, guests = 10, 24
    parts = []
    for day in range(world.n_matches // (games * guests // 2)):
        here = world.rng.permutation(world.n_players)[:guests].astype(np.int32)
        form = np.zeros(world.n_players)
        form[here] = world.rng.standard_normal(guests)
        for number in range(games):
            first, second = world.rng.permutation(here).reshape(2, -1)
            won = world.decide(first, second, in_form * np.sign(form[first] - form[second]))
            at = np.full(len(first), day * DAY + 18 * HOUR + number * 20 * MINUTE)
            parts.append((first, second, won, at + world.rng.integers(0, 300, len(at))))
    return world.record(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))


@situation(
    "momentum", "who won the game before has + 0.2, in sessions of five", LOW, COIN, LITTLE, kind="table", answered=0.9
)
def momentum(world: World) -> Matches:
    """The same two players."""
    first, second, seconds = _sessions(world, 5)
    won = np.zeros((len(first), 5))
    bonus = np.zeros(len(first))
    for number in range(5):
        won[:, number] = world.decide(first, second, bonus)
        bonus = 0.2 * (2 * won[:, number] - 1)
    return _written(world, first, second, won, seconds)


@situation("winner stays, + 0.2", "the winner stays at the table and has + 0.2", COIN, LOW, kind="table", answered=0.9)
def winner_stays(world: World) -> Matches:
    """Ten tables."""
    return _kings(world, 0.2)


@situation("winner stays", "the winner stays at the table, without any advantage", COIN, LOW, HIGH, answered=0.7)
def winner_stays_fairly(world: World) -> Matches:
    """Ten tables."""
    return _kings(world, 0.0)


def _kings(world: World, bonus: float) -> Matches:
    log, n_tables = Log(world), 10
    kings = world.rng.permutation(world.n_players)[:n_tables]
    for number in range(world.n_matches):
        table = number % n_tables
        guest = int(world.rng.integers(world.n_players))
        while guest in kings:
            guest = int(world.rng.integers(world.n_players))
        first_game = number < n_tables
        if not log.play(int(kings[table]), guest, 40.0 * number, 0.0 if first_game else bonus):
            kings[table] = guest
    return log.record()


@situation("best of 3", "best of three: stops when it is decided", COIN, LOW, HIGH, answered=0.9)
def best_of_three(world: World) -> Matches:
    """Games are independent."""
    first, second, seconds = _sessions(world, 3)
    won = np.column_stack([world.decide(first, second) for _ in range(3)])
    played = np.ones(won.shape, bool)
    played[:, 2] = won[:, 0] != won[:, 1]
    kept = played.ravel()
    one, other = np.repeat(first, 3)[kept], np.repeat(second, 3)[kept]
    return world.record(one, other, won.ravel()[kept], seconds.ravel()[kept])


@situation("rematches", "the loser asks for a rematch until they give up or win", COIN, LOW, HIGH)
def rematches(world: World) -> Matches:
    """They give up with probability 0.4 after each loss; at most eight games."""
    log, at = Log(world), 0.0
    while not log.is_full:
        one, other = map(int, world.rng.choice(world.n_players, 2, replace=False))
        at += world.rng.exponential(400.0)
        ahead = log.play(one, other, at)
        for number in range(1, 8):
            if world.rng.random() < 0.4 or log.play(one, other, at + number * 6 * MINUTE) != ahead:
                break
    return log.record()


@situation("tilt", "a loss costs 0.15 in the next three games of the evening", LOW, COIN)
def tilt(world: World) -> Matches:
    """Evenings of ten games against changing opponents."""
    parts = []
    for day in range(world.n_matches // 120):
        here = world.rng.permutation(world.n_players)[:24].astype(np.int32)
        tilted = np.zeros(world.n_players)
        for number in range(10):
            first, second = world.rng.permutation(here).reshape(2, -1)
            won = world.decide(first, second, 0.15 * ((tilted[second] > 0) * 1.0 - (tilted[first] > 0)))
            tilted[here] -= 1
            tilted[np.where(won, second, first)] = 3
            at = day * DAY + 18 * HOUR + number * 20 * MINUTE + world.rng.integers(0, 300, len(first))
            parts.append((first, second, won, at))
    return world.record(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))


@situation(
    "leaving when ahead", "players leave as soon as they are two wins ahead, or after twelve games", COIN, LOW, HIGH
)
def leaving_when_ahead(world: World) -> Matches:
    """Evenings against changing opponents."""
    log, at = Log(world), 0.0
    while not log.is_full:
        at += world.rng.exponential(1_500.0)
        one, ahead = int(world.rng.integers(world.n_players)), 0
        for number in range(12):
            other = int(world.rng.integers(world.n_players - 1))
            other += other >= one
            ahead += 1 if log.play(one, other, at + number * 5 * MINUTE) else -1
            if ahead == 2:
                break
    return log.record()


@situation("quitting for good", "players leave for ever after five losses in a row, and new ones come", COIN, LOW, HIGH)
def quitting(world: World) -> Matches:
    """150 are there at any time."""
    log, here, next_player = Log(world), list(range(150)), 150
    lost = np.zeros(world.n_players, int)
    for number in range(world.n_matches):
        a, b = world.rng.choice(len(here), 2, replace=False)
        one, other = here[a], here[b]
        won = log.play(one, other, 200.0 * number)
        loser, winner, place = (other, one, b) if won else (one, other, a)
        lost[winner] = 0
        lost[loser] += 1
        if lost[loser] >= 5 and next_player < world.n_players:
            here[place] = next_player
            next_player += 1
    return log.record()


@situation("bad line", "on some evenings a player's line is bad: - 0.25 in all games of the evening", LOW, COIN)
def bad_line(world: World) -> Matches:
    """A fifth of the guests of an evening."""
    parts = []
    for day in range(world.n_matches // 120):
        here = world.rng.permutation(world.n_players)[:24].astype(np.int32)
        bad = np.zeros(world.n_players)
        bad[here[:5]] = 0.25
        for number in range(10):
            first, second = world.rng.permutation(here).reshape(2, -1)
            won = world.decide(first, second, bad[second] - bad[first])
            at = day * DAY + 18 * HOUR + number * 20 * MINUTE + world.rng.integers(0, 300, len(first))
            parts.append((first, second, won, at))
    return world.record(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))


@situation(
    "duplicate deals", "each deal is played twice with seats exchanged: the luck of one is undone by the other", LOW
)
def duplicate_deals(world: World) -> Matches:
    """What is not decided by strength goes to whoever has the better cards."""
    first, second, seconds = _sessions(world, 2)
    cards = world.rng.random(len(first)) < 0.5
    by_skill = world.rng.random((len(first), 2)) < 0.2
    better = world.skill[first] > world.skill[second]
    luck = np.column_stack((cards, ~cards))
    return _written(world, first, second, np.where(by_skill, better[:, np.newaxis], luck), seconds)


@situation("seat for the evening", "sessions of five, and who has the better seat (+ 0.2) keeps it", COIN, LOW)
def seat_for_the_evening(world: World) -> Matches:
    """Who has it is random, and so is who is listed first."""
    first, second, seconds = _sessions(world, 5)
    bonus = np.where(world.rng.random(len(first)) < 0.5, 0.2, -0.2)
    won = np.column_stack([world.decide(first, second, bonus) for _ in range(5)])
    return _written(world, first, second, won, seconds)


@situation(
    "series over days",
    "series of five, a game every other day, and who is in form (+ 0.2) is so for the series",
    COIN,
    LOW,
)
def series_over_days(world: World) -> Matches:
    """The same two players."""
    n = world.n_matches // 5
    first, second = world.meet(n)
    seconds = world.clock(n, days=180)[:, np.newaxis] + 2 * DAY * np.arange(5)
    bonus = np.where(world.rng.random(n) < 0.5, 0.2, -0.2)
    won = np.column_stack([world.decide(first, second, bonus) for _ in range(5)])
    return _written(world, first, second, won, seconds)


@situation(
    "scores used again",
    "a player's score of the day is compared with those of five others, at different hours",
    COIN,
    LOW,
)
def scores_used_again(world: World) -> Matches:
    """Who plays alone is paired with who has played; a score counts in all its duels."""
    parts = []
    per_day = 60
    for day in range(world.n_matches // (per_day * 5 // 2)):
        here = world.rng.permutation(world.n_players)[:per_day].astype(np.int32)
        luck = world.rng.random(world.n_players)
        one = np.tile(here, 3)[: per_day * 5 // 2]
        other = np.concatenate([np.roll(here, shift) for shift in (1, 5, 11)])[: len(one)]
        assert world.game.x is not None
        by_skill = world.rng.random(len(one)) < world.game.x / 100
        won = np.where(by_skill, world.skill[one] > world.skill[other], luck[one] > luck[other])
        parts.append((one, other, won, day * DAY + world.rng.random(len(one)) * DAY))
    return world.record(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))


@situation("rotating table", "six friends play a round robin in one evening with one coin each", COIN)
def rotating_table(world: World) -> Matches:
    """Each evening everybody has a luck of their own that decides half of their games."""
    parts = []
    pairs = np.column_stack(np.triu_indices(6, 1))
    for evening, start in enumerate(world.clock(world.n_matches // 15)):
        here = world.rng.choice(world.n_players, 6, replace=False)
        luck = world.rng.random(6)
        for number, (a, b) in enumerate(world.rng.permutation(pairs)):
            chance = 0.75 if luck[a] > luck[b] else 0.25
            won = world.rng.random() < chance
            parts.append((here[a], here[b], won, start + number * 5 * MINUTE + evening % 60))
    return world.record(*map(np.array, zip(*parts, strict=True)))


def _seats(world: World, bonus: float) -> Matches:
    """Half of the players always sit first."""
    half = world.n_players // 2
    first = world.rng.integers(0, half, world.n_matches).astype(np.int32)
    second = world.rng.integers(half, world.n_players, world.n_matches).astype(np.int32)
    return world.record(first, second, world.decide(first, second, bonus), world.clock())


@situation("seat + 0.2", "the first seat has + 0.2, and players keep their seats", COIN, kind="table", answered=0.9)
def seat(world: World) -> Matches:
    """Hosts and guests."""
    return _seats(world, 0.2)


@situation("seat + 0.4", "the first seat has + 0.4, and players keep their seats", COIN, kind="table", answered=0.9)
def better_seat(world: World) -> Matches:
    """Hosts and guests."""
    return _seats(world, 0.4)


def _hosts(world: World, inclined: Floats, bonus: Floats) -> Matches:
    """Who is more inclined to sit first does; the first of a match has their bonus."""
    one, other = world.meet()
    swap = world.rng.random(len(one)) >= inclined[one] / (inclined[one] + inclined[other])
    first, second = np.where(swap, other, one), np.where(swap, one, other)
    return world.record(first, second, world.decide(first, second, bonus[first]), world.clock())


@situation(
    "random seat advantage", "the first seat has + 0.2, at random", COIN, LOW, HIGH, kind="held up", answered=0.9
)
def random_seat(world: World) -> Matches:
    """Everybody sits there as often."""
    return _hosts(world, np.ones(world.n_players), np.full(world.n_players, 0.2))


@situation("hosts", "the first seat has + 0.2, and some sit there much more often than others", COIN, LOW, answered=0.9)
def hosts(world: World) -> Matches:
    """From almost never to almost always."""
    inclined = np.exp(2 * world.rng.standard_normal(world.n_players))
    return _hosts(world, inclined, np.full(world.n_players, 0.2))


@situation(
    "seat not listed",
    "who is host has + 0.2, hosts keep their role, and the file does not say who it is",
    COIN,
    traceless=True,
    same_players=False,
)
def seat_not_listed(world: World) -> Matches:
    """The rows are in random order: hosts are players who win."""
    half = world.n_players // 2
    one = world.rng.integers(0, half, world.n_matches)
    other = world.rng.integers(half, world.n_players, world.n_matches)
    won = world.decide(one, other, 0.2)
    flip = world.rng.random(len(one)) < 0.5
    return world.record(np.where(flip, other, one), np.where(flip, one, other), won != flip, world.clock())


@situation("home advantage of its own", "a home advantage between 0 and 0.3 that differs by player", LOW, HIGH)
def home_advantage(world: World) -> Matches:
    """Home as often as away."""
    return _hosts(world, np.ones(world.n_players), world.rng.uniform(0, 0.3, world.n_players))


@situation("White alternates", "White has + 0.1, and colours alternate", COIN, LOW, HIGH, answered=0.9)
def white_alternates(world: World) -> Matches:
    """Who had White less often has it."""
    one, other = world.meet()
    whites = np.zeros(world.n_players, int)
    first, second = one.copy(), other.copy()
    for row in range(len(one)):
        if whites[one[row]] > whites[other[row]]:
            first[row], second[row] = other[row], one[row]
        whites[first[row]] += 1
        whites[second[row]] -= 1
    return world.record(first, second, world.decide(first, second, 0.1), world.clock())


@situation("better players sit first", "the first seat has + 0.2, and goes to the higher rated by custom", LOW)
def better_sit_first(world: World) -> Matches:
    """Three of four times."""
    return _hosts(world, np.exp(1.2 * world.skill), np.full(world.n_players, 0.2))


@situation("favourite first", "the better player is listed first, without any advantage", HIGH, LOW, MUCH, answered=0.9)
def favourite_first(world: World) -> Matches:
    """As betting files and seeded draws have it."""
    one, other = world.meet()
    swap = world.skill[other] > world.skill[one]
    first, second = np.where(swap, other, one), np.where(swap, one, other)
    return world.record(first, second, world.decide(first, second), world.clock())


@situation(
    "higher rated first",
    "the higher rated player is listed first, without any advantage",
    HIGH,
    LOW,
    COIN,
    answered=0.9,
)
def higher_rated_first(world: World) -> Matches:
    """By the platform's current rating."""
    platform = PlatformRating(np.zeros(world.n_players))
    one, other = world.meet()
    first, second, won = one.copy(), other.copy(), np.zeros(len(one), bool)
    dice = world.rng.random(len(one))
    for row in range(len(one)):
        if platform.rating[other[row]] > platform.rating[one[row]]:
            first[row], second[row] = other[row], one[row]
        won[row] = dice[row] < world.chance(first[row], second[row])
        platform.update(int(first[row]), int(second[row]), float(won[row]))
    return world.record(first, second, won, world.clock())


def _mostly_winner_first(world: World, share: float) -> Matches:
    first, second = world.meet()
    won = world.decide(first, second)
    swap = ~won & (world.rng.random(len(won)) < share)
    return world.record(np.where(swap, second, first), np.where(swap, first, second), won | swap, world.clock())


@situation(
    "winner mostly first", "the winner is listed first but for 3% of the matches", HIGH, MUCH, COIN, answered=0.9
)
def winner_mostly_first(world: World) -> Matches:
    """Corrected results, or a second source."""
    return _mostly_winner_first(world, 0.94)


@situation(
    "two sources",
    "two sources in one file: one lists the winner first, one the host",
    HIGH,
    MUCH,
    COIN,
    LOW,
    answered=0.9,
)
def two_sources(world: World) -> Matches:
    """Seven of ten rows are from the first."""
    return _mostly_winner_first(world, 0.7)
