"""A step of sigma that takes all skills along to where they would be under the new sigma.

Where players have few matches, sigma given the skills is far more certain than sigma, so a chain that holds the
skills, or z = s / sigma, fixed creeps. Here every skill keeps its place within its own player's distribution: if that
is about normal with mean m(sigma) and SD w(sigma), the new skill is m' + (w' / w)(s - m). The step is accepted by the
ratio of the posterior densities, y integrated out, times the product of all w' / w, so it is exact whatever m and w
are; the better they are, the nearer it comes to a step of sigma alone with the skills integrated out. The threshold t
goes along with sqrt(1 + sigma^2), which leaves the rate of ties about as it is.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numba.extending import register_jitable

from ludometer.arrays import Floats
from ludometer.kernels.gibbs.likelihood import Record, gather_gaps, log_likelihood
from ludometer.kernels.gibbs.truncated import Word, normal, uniform

_STEPS = 4
"""Steps in a sweep: each costs a tenth of one."""

_ACCEPTED, _HASTE = 0.35, 2.0
"""The share of steps that should be accepted, and how fast their length is fitted to it."""


class Transport(NamedTuple):
    """m / sigma and log(w / sigma) of all players at equally spaced values of log sigma; empty: no such steps."""

    nodes: Floats
    mean: Floats
    width: Floats
    """(nodes, players)."""


def no_transport() -> Transport:
    """For records with many matches a player, which do without."""
    return Transport(np.empty(0), np.empty((0, 0)), np.empty((0, 0)))


class Priors(NamedTuple):
    """Of sigma and t, as in the sampler's model."""

    power: float
    rate: float
    top: float
    tie_sd: float


@register_jitable
def _log_density(record: Record, skill: Floats, sigma: float, t: float, priors: Priors, table: Floats) -> float:
    """Of all skills, log sigma and log t, up to a constant."""
    gaps, _ = gather_gaps(record, skill)
    value, _, _ = log_likelihood(gaps, 1.0, t, table)
    if priors.tie_sd > 0.0:
        value += math.log(t) - 0.5 * (t / priors.tie_sd) ** 2
    squares = 0.0
    for each in skill:
        squares += each * each
    precision = 1.0 / (sigma * sigma)
    return float(
        value - (len(skill) + priors.power - 1.0) * math.log(sigma) - (0.5 * squares + priors.rate) * precision
    )


@register_jitable
def _find_place(nodes: Floats, at: float) -> tuple[int, float]:
    """The node below and how far on the way to the next; the ends go on as they are."""
    place = (at - nodes[0]) / (nodes[1] - nodes[0])
    place = min(max(place, 0.0), len(nodes) - 1.0)
    node = min(int(place), len(nodes) - 2)
    return node, place - node


@register_jitable
def _carry(transport: Transport, skill: Floats, before: float, after: float, carried: Floats) -> float:
    """All skills from one log sigma to another; the log of the product of w' / w."""
    i, f = _find_place(transport.nodes, before)
    j, g = _find_place(transport.nodes, after)
    old, new, ratio = math.exp(before), math.exp(after), after - before
    stretched = 0.0
    for a in range(len(skill)):
        width = (1.0 - f) * transport.width[i, a] + f * transport.width[i + 1, a]
        wider = (1.0 - g) * transport.width[j, a] + g * transport.width[j + 1, a]
        mean = old * ((1.0 - f) * transport.mean[i, a] + f * transport.mean[i + 1, a])
        moved = new * ((1.0 - g) * transport.mean[j, a] + g * transport.mean[j + 1, a])
        stretch = ratio + wider - width
        carried[a] = moved + math.exp(stretch) * (skill[a] - mean)
        stretched += stretch
    return stretched


@register_jitable
def transport_skills(
    record: Record,
    priors: Priors,
    transport: Transport,
    skill: Floats,
    point: Floats,
    stride: Floats,
    table: Floats,
    adapts: bool,
    word: Word,
) -> Word:
    """Some steps of sigma with all skills and t.

    `stride` has the log of a step's SD and how often it was fitted, which is while the chain warms up.
    """
    carried = np.empty(len(skill))
    value = _log_density(record, skill, point[0], point[1], priors, table)
    for _ in range(_STEPS):
        e, word = normal(word)
        u, word = uniform(word)
        before = math.log(point[0])
        after = before + math.exp(stride[0]) * e
        gain = -np.inf
        sigma = math.exp(after)
        t = point[1] * math.sqrt((1.0 + sigma * sigma) / (1.0 + point[0] * point[0]))
        new = value
        if sigma <= priors.top:
            gain = _carry(transport, skill, before, after, carried)
            new = _log_density(record, carried, sigma, t, priors, table)
            gain += new - value
        if math.log(u) < gain:
            skill[:] = carried
            point[0], point[1], value = sigma, t, new
        if adapts:
            stride[1] += 1.0
            stride[0] += _HASTE * (math.exp(min(gain, 0.0)) - _ACCEPTED) / math.sqrt(3.0 + stride[1])
    return word
