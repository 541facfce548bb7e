"""Strengths over all time given the whole record: the sums, trees and equations of the smoother.

A node is one player at one time, and its strength is that of its parent plus a normal step: the parent is the player's
node before or, for a player's first, the level at which newcomers entered then; these levels are a chain of their own.
Without the matches that is a tree, whose equations are solved from the leaves to the root and back. Variances of steps
are never divided by, so a step of variance 0 is a step like any other. The matches tie the branches together, which
conjugate gradients unravel: the tree, with each match's information on its own two nodes, is their preconditioner.

Natural units throughout. Nodes are numbered so that parents come first; the root's parent is itself. Sides are seats of
matches in the order of their nodes: node k has the sides starts[k] to starts[k + 1]. Where a kernel takes a number or
eight lanes per node, all its arrays are of one kind.
"""

from __future__ import annotations

import math

import numpy as np

from ludometer.arrays import Codes, Counts, Floats
from ludometer.kernels.runtime import lanes
from ludometer.kernels.runtime.compile import JIT, kernel
from ludometer.kernels.state_space.filter import MEMORY


@kernel
def place_sides(
    first: Codes, second: Codes, day: Floats, n_players: int
) -> tuple[Counts, Counts, Counts, Codes, Codes]:
    """Sides in order of player and time: nodes of players, sides of nodes, and each side's match, opponent and seat.

    Matches are in order of time, and a player's matches of one time share a node. An opponent is a node; these
    are numbered from 0 here.
    """
    n = len(first)
    begin = np.zeros(n_players + 1, np.int64)
    for t in range(n):
        begin[first[t] + 1] += 1
        begin[second[t] + 1] += 1
    for i in range(n_players):
        begin[i + 1] += begin[i]
    place = begin[:-1].copy()
    match, seat, mirror = np.empty(2 * n, np.int64), np.empty(2 * n, np.int32), np.empty(2 * n, np.int64)
    for t in range(n):
        a, b = place[first[t]], place[second[t]]
        place[first[t]] += 1
        place[second[t]] += 1
        match[a], seat[a], mirror[a] = t, 0, b
        match[b], seat[b], mirror[b] = t, 1, a
    chain, starts = np.zeros(n_players + 1, np.int64), np.empty(2 * n + 1, np.int64)
    node = np.empty(2 * n, np.int32)
    n_nodes = 0
    for i in range(n_players):
        for e in range(begin[i], begin[i + 1]):
            if e == begin[i] or day[match[e]] != day[match[e - 1]]:
                starts[n_nodes] = e
                n_nodes += 1
            node[e] = n_nodes - 1
        chain[i + 1] = n_nodes
    starts[n_nodes] = 2 * n
    other = np.empty(2 * n, np.int32)
    for e in range(2 * n):
        other[e] = node[mirror[e]]
    return chain, starts[: n_nodes + 1].copy(), match, other, seat


@kernel
def fade(chain: Counts, pause: Floats, played: Counts, rate: float) -> Floats:
    """Recent matches of each node's player before it: each counts exp(-rate days)."""
    recent = np.zeros(len(pause))
    for i in range(len(chain) - 1):
        for k in range(chain[i] + 1, chain[i + 1]):
            recent[k] = (recent[k - 1] + played[k - 1]) * math.exp(-rate * pause[k])
    return recent


@kernel
def follow(middle: Floats) -> Floats:
    """The running mean of those who play before each match, and after the last: from 0, a little of each pair's."""
    means = np.zeros(len(middle) + 1)
    for t in range(len(middle)):
        means[t + 1] = means[t] + MEMORY * (middle[t] - means[t])
    return means


@kernel
def evaluate_strengths(
    starts: Counts,
    other: Codes,
    score: Floats,
    shift: Floats,
    weight: Floats,
    likeness: Floats,
    kappa: Floats,
    strength: Floats,
    gradient: Floats,
    curvature: Floats,
    information: Floats,
) -> float:
    """The log likelihood; writes its gradient, each side's curvature, and their sums over nodes.

    A match tells weight (S ln E + (1 - S) ln(1 - E)) with E the logistic function of d, the difference plus `shift`,
    and being paired -likeness (difference)^2 / 2. With `kappa`, which may be empty for 1, E is the logistic function
    of kappa d, and the slope is still weight (S - E): that of the average over a normal error of d.
    """
    total, averages = 0.0, len(kappa) > 0
    for k in range(len(strength)):
        slope, bend, level = 0.0, 0.0, 0.0
        for e in range(starts[k], starts[k + 1]):
            apart = strength[k] - strength[np.uint32(other[e])]
            d = apart + shift[e]
            steep = kappa[e] if averages else 1.0
            small = math.exp(-steep * abs(d))
            high = 1 / (1 + small)
            low = small * high
            slope += weight[e] * (score[e] - (high if d > 0 else low)) - likeness[e] * apart
            curvature[e] = weight[e] * steep * high * low + likeness[e]
            bend += curvature[e]
            # both sides of a match give the same, so each counts half of it
            told = (score[e] - 1) * d if d > 0 else score[e] * d
            level += 0.5 * (weight[e] * (told - math.log1p(small) / steep) - 0.5 * likeness[e] * apart * apart)
        gradient[k], information[k] = slope, bend
        total += level
    return total


@kernel
def eliminate(parent: Codes, step: Floats, information: Floats, gain: Floats) -> None:
    """Write what each node hands on to its parent: 1 / (1 + step * the information at and below it)."""
    below = information.copy()
    for k in range(len(parent) - 1, -1, -1):
        gain[k] = 1 / (1 + step[k] * below[k])
        if k:
            below[parent[k]] += gain[k] * below[k]


@kernel
def vary_alone(parent: Codes, step: Floats, gain: Floats, held: int, variance: Floats, link: Floats) -> None:
    """Write each node's variance, and its covariance with its parent, all other players and the first nodes held."""
    for k in range(len(parent)):
        link[k] = gain[k] * variance[parent[k]] if k >= held else 0.0
        variance[k] = gain[k] * (link[k] + step[k]) if k >= held else 0.0


@kernel
def solve_tree(parent: Codes, step: Floats, gain: Floats, held: int, x: Floats) -> None:
    """Put the solution of the tree's equations in the place of their right side, a number or eight lanes per node.

    The first so many nodes may be held at what x has for them.
    """
    if JIT:
        x = lanes.borrow(x)
    for k in range(len(parent) - 1, max(held, 1) - 1, -1):
        above = parent[k]
        if above >= held:
            lanes.put(x, above, lanes.get(x, above) + gain[k] * lanes.get(x, k))
    if held == 0:
        lanes.put(x, 0, (gain[0] * step[0]) * lanes.get(x, 0))
    for k in range(max(held, 1), len(parent)):
        lanes.put(x, k, gain[k] * (lanes.get(x, parent[k]) + step[k] * lanes.get(x, k)))


@kernel
def pull_by_opponents(starts: Counts, other: Codes, curvature: Floats, x: Floats, pulled: Floats) -> None:
    """Write what the opponents' x pull each node by: the curvature of each match times the other's x."""
    if JIT:
        x, pulled = lanes.borrow(x), lanes.borrow(pulled)
    for k in range(len(x)):
        total = 0.0 * lanes.get(x, k)
        for e in range(np.uint64(starts[k]), np.uint64(starts[k + 1])):
            total = total + curvature[e] * lanes.get(x, np.uint32(other[e]))
        lanes.put(pulled, k, total)


@kernel
def bend(
    starts: Counts, other: Codes, curvature: Floats, direction: Floats, carried: Floats, bent: Floats, bends: Floats
) -> None:
    """Write the whole matrix times a direction, and the sum of their products: `carried` is the tree times it."""
    if JIT:
        direction, carried, bent = lanes.borrow(direction), lanes.borrow(carried), lanes.borrow(bent)
    total = 0.0 * lanes.get(direction, 0)
    for k in range(len(direction)):
        own = lanes.get(carried, k)
        for e in range(np.uint64(starts[k]), np.uint64(starts[k + 1])):
            own = own - curvature[e] * lanes.get(direction, np.uint32(other[e]))
        lanes.put(bent, k, own)
        total = total + lanes.get(direction, k) * own
    lanes.put(bends, 0, total)


@kernel
def move(
    parent: Codes,
    step: Floats,
    gain: Floats,
    lengths: Floats,
    direction: Floats,
    carried: Floats,
    x: Floats,
    image: Floats,
    rest: Floats,
    bent: Floats,
    sizes: Floats,
) -> None:
    """Go so far in a direction, and put the preconditioned residual in the place of `bent`; write the residual's size.

    `image` becomes the tree times x unless it is empty.
    """
    if JIT:
        direction, carried, x = lanes.borrow(direction), lanes.borrow(carried), lanes.borrow(x)
        image, rest, bent = lanes.borrow(image), lanes.borrow(rest), lanes.borrow(bent)
    length, wants_image = lanes.get(lengths, 0), len(image) > 0
    for k in range(len(parent)):
        left = lanes.get(rest, k) - length * lanes.get(bent, k)
        lanes.put(rest, k, left)
        lanes.put(bent, k, left)
        lanes.put(x, k, lanes.get(x, k) + length * lanes.get(direction, k))
        if wants_image:
            lanes.put(image, k, lanes.get(image, k) + length * lanes.get(carried, k))
    solve_tree(parent, step, gain, 0, bent)
    total = 0.0 * length
    for k in range(len(parent)):
        total = total + lanes.get(rest, k) * lanes.get(bent, k)
    lanes.put(sizes, 0, total)


@kernel
def turn(shares: Floats, scaled: Floats, rest: Floats, direction: Floats, carried: Floats) -> None:
    """The next direction: the preconditioned residual plus a share of the last; and the tree times it."""
    if JIT:
        scaled, rest = lanes.borrow(scaled), lanes.borrow(rest)
        direction, carried = lanes.borrow(direction), lanes.borrow(carried)
    share = lanes.get(shares, 0)
    for k in range(len(direction)):
        lanes.put(direction, k, lanes.get(scaled, k) + share * lanes.get(direction, k))
        lanes.put(carried, k, lanes.get(rest, k) + share * lanes.get(carried, k))


@kernel
def walk(parent: Codes, step: Floats, x: Floats) -> None:
    """Turn standard normal numbers into strengths of the tree, in place: each its parent's plus a step."""
    if JIT:
        x = lanes.borrow(x)
    lanes.put(x, 0, math.sqrt(step[0]) * lanes.get(x, 0))
    for k in range(1, len(parent)):
        lanes.put(x, k, lanes.get(x, np.uint32(parent[k])) + math.sqrt(step[k]) * lanes.get(x, k))


@kernel
def perturb(
    starts: Counts,
    match: Counts,
    seat: Codes,
    curvature: Floats,
    gathered: Floats,
    push: Floats,
    x: Floats,
    right: Floats,
) -> None:
    """Write what matches tell that were simulated with a normal error each (`push`), less what x explains of it.

    All opponents are at 0.
    """
    if JIT:
        push, x, right = lanes.borrow(push), lanes.borrow(x), lanes.borrow(right)
    for k in range(len(x)):
        total = (-gathered[k]) * lanes.get(x, k)
        for e in range(np.uint64(starts[k]), np.uint64(starts[k + 1])):
            sign = math.sqrt(curvature[e]) if seat[e] == 0 else -math.sqrt(curvature[e])
            total = total + sign * lanes.get(push, np.uint64(match[e]))
        lanes.put(right, k, total)


@kernel
def add_products(parent: Codes, x: Floats, squares: Floats, products: Floats) -> None:
    """Add to each node the sum over lanes of its squares, and of its products with its parent."""
    for k in range(len(x)):
        above = np.uint32(parent[k])
        for lane in range(lanes.WIDTH):
            squares[k] += x[k, lane] * x[k, lane]
            products[k] += x[k, lane] * x[above, lane]


@kernel
def find_peaks(chain: Counts, level: Floats, x: Floats, peak: Floats) -> None:
    """Write the highest `level` plus x on each player's chain of nodes, in each lane; minus infinity without nodes."""
    for i in range(len(chain) - 1):
        for lane in range(lanes.WIDTH):
            peak[i, lane] = -np.inf
        for k in range(chain[i], chain[i + 1]):
            for lane in range(lanes.WIDTH):
                peak[i, lane] = max(peak[i, lane], level[k] + x[k, lane])
