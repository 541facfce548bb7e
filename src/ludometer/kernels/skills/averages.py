"""What each player had done before each of their matches: how many they had played, and their average score."""

from __future__ import annotations

import numpy as np

from ludometer.arrays import Codes, Counts, Floats, Halves
from ludometer.kernels.runtime.compile import kernel


def past_averages_plain(first: Codes, second: Codes, halves: Halves, n_players: int) -> tuple[Floats, Counts]:
    """The plain twin of `past_averages`."""
    past: list[list[float]] = [[] for _ in range(n_players)]
    average, count = np.full((len(first), 2), np.nan), np.zeros((len(first), 2), np.int64)
    for t in range(len(first)):
        for seat, player in enumerate((first[t], second[t])):
            count[t, seat] = len(past[player])
            if past[player]:
                average[t, seat] = sum(past[player]) / len(past[player])
        past[first[t]].append(halves[t] / 2)
        past[second[t]].append(1 - halves[t] / 2)
    return average, count


@kernel
def past_averages(first: Codes, second: Codes, halves: Halves, n_players: int) -> tuple[Floats, Counts]:
    """(averages, counts), each (matches, 2): before a player's first match the average is NaN, the count 0."""
    points, played = np.zeros(n_players, np.int64), np.zeros(n_players, np.int64)
    average, count = np.empty((len(first), 2), np.float64), np.empty((len(first), 2), np.int64)
    for t in range(len(first)):
        for seat in range(2):
            player = first[t] if seat == 0 else second[t]
            count[t, seat] = played[player]
            average[t, seat] = 0.5 * points[player] / played[player]
        points[first[t]] += halves[t]
        points[second[t]] += 2 - halves[t]
        played[first[t]] += 1
        played[second[t]] += 1
    return average, count


def past_moments_plain(first: Codes, second: Codes, halves: Halves, n_players: int) -> Floats:
    """The plain twin of `past_moments`."""
    average, count = past_averages_plain(first, second, halves, n_players)
    moments = np.zeros((n_players, 6))
    for t in range(len(first)):
        for seat, player in enumerate((first[t], second[t])):
            if count[t, seat]:
                x, y = average[t, seat], halves[t] / 2 if seat == 0 else 1 - halves[t] / 2
                moments[player] += (1, x, y, x * x, x * y, y * y)
    return moments


@kernel
def past_moments(first: Codes, second: Codes, halves: Halves, n_players: int) -> Floats:
    """Sums of 1, x, y, xx, xy, yy for each player, with x their average before a match and y their score in it.

    A player's first match has no x and does not count. A regression with errors clustered by player needs no more.
    """
    points, played = np.zeros(n_players, np.int64), np.zeros(n_players, np.int64)
    moments = np.zeros((n_players, 6))
    for t in range(len(first)):
        for seat in range(2):
            player = first[t] if seat == 0 else second[t]
            half = halves[t] if seat == 0 else 2 - halves[t]
            if played[player]:
                x, y = 0.5 * points[player] / played[player], 0.5 * half
                row = moments[player]
                row[0] += 1
                row[1] += x
                row[2] += y
                row[3] += x * x
                row[4] += x * y
                row[5] += y * y
            points[player] += half
            played[player] += 1
    return moments


def past_moments_of_seats_plain(player: Codes, score: Floats, earned: Floats, n_players: int) -> Floats:
    """The plain twin of `past_moments_of_seats`."""
    past: list[list[float]] = [[] for _ in range(n_players)]
    moments = np.zeros((n_players, 6))
    for one, y, points in zip(player, score, earned, strict=True):
        if past[one]:
            x = sum(past[one]) / len(past[one])
            moments[one] += (1, x, y, x * x, x * y, y * y)
        past[one].append(points)
    return moments


@kernel
def past_moments_of_seats(player: Codes, score: Floats, earned: Floats, n_players: int) -> Floats:
    """The same sums for multiplayer matches: seats in order of play, each player at most once in a match.

    `earned` is what counts in later averages: the scores themselves, or others.
    """
    total, played = np.zeros(n_players), np.zeros(n_players, np.int64)
    moments = np.zeros((n_players, 6))
    for seat in range(len(player)):
        one, y = player[seat], score[seat]
        if played[one]:
            x = total[one] / played[one]
            row = moments[one]
            row[0] += 1
            row[1] += x
            row[2] += y
            row[3] += x * x
            row[4] += x * y
            row[5] += y * y
        total[one] += earned[seat]
        played[one] += 1
    return moments


def count_earlier_plain(player: Codes) -> Counts:
    """The plain twin of `count_earlier`: by sorting."""
    order = np.argsort(player, kind="stable")
    ordered = player[order]
    fresh = np.ones(len(player), bool)
    fresh[1:] = ordered[1:] != ordered[:-1]
    begin = np.maximum.accumulate(np.where(fresh, np.arange(len(player)), 0))
    earlier = np.empty(len(player), np.int64)
    earlier[order] = np.arange(len(player)) - begin
    return earlier


@kernel
def count_earlier(player: Codes, played: Counts) -> Counts:
    """For each seat, in how many earlier ones the same player sat; `played` counts on, by player."""
    earlier = np.empty(len(player), np.int64)
    for seat in range(len(player)):
        earlier[seat] = played[player[seat]]
        played[player[seat]] += 1
    return earlier


@kernel
def count_earlier_of_pairs(first: Codes, second: Codes, n_players: int) -> tuple[Codes, Codes]:
    """For each two-player match, how many the less and the more experienced of the two had played before."""
    played = np.zeros(n_players, np.int32)
    least, most = np.empty(len(first), np.int32), np.empty(len(first), np.int32)
    for t in range(len(first)):
        one, other = played[first[t]], played[second[t]]
        least[t] = min(one, other)
        most[t] = max(one, other)
        played[first[t]] = one + 1
        played[second[t]] = other + 1
    return least, most
