"""Flows on the graph of pairs: the part that ratings explain (gradient), the part that runs in triangles, the rest."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ludometer.arrays import Codes, Counts, Floats, Mask
from ludometer.kernels.solve import conjugate_gradients
from ludometer.kernels.triads import add_curls, count_triads, order_edges

_TOLERANCE = 1e-5
"""Of the residual; what is reported of a flow, its squares, is then right to about the square of it."""


@dataclass(frozen=True, eq=False)
class PairGraph:
    """Who met whom, each pair once; a flow has one number a pair, from its first player's point of view."""

    first: Codes
    second: Codes
    n_players: int

    def __len__(self) -> int:
        return len(self.first)

    @cached_property
    def incidence(self) -> Any:
        """(pairs, players), sparse: 1 for the first player, -1 for the second."""
        from scipy.sparse import csr_array

        n = len(self)
        column = np.column_stack((self.first, self.second)).ravel()
        value = np.tile([1.0, -1.0], n)
        return csr_array((value, column, np.arange(0, 2 * n + 1, 2)), shape=(n, self.n_players))

    @cached_property
    def _own(self) -> Any:
        """The incidence of those players only who are in a pair: they may be few of many."""
        return self.incidence[:, np.union1d(self.first, self.second)]

    @cached_property
    def layout(self) -> tuple[Counts, Codes, Counts, Floats]:
        """As the kernels of triads want it."""
        return order_edges(self.first, self.second, self.n_players)

    def project(self, flow: Floats, weight: Floats) -> Floats:
        """The gradient s_i - s_j that is nearest to the flow (pairs, lanes), by weighted least squares."""
        matrix = self._own
        turned = matrix.T.tocsr()
        laplacian = turned @ (weight[:, np.newaxis] * matrix)
        diagonal = laplacian.diagonal()[:, np.newaxis]
        right = turned @ (weight[:, np.newaxis] * flow)
        potential = conjugate_gradients(laplacian.__matmul__, right, diagonal, tolerance=_TOLERANCE)
        return np.asarray(matrix @ potential)

    def square_parts(self, flow: Floats, weight: Floats) -> tuple[Floats, Floats, Floats]:
        """The weighted sums of squares of gradient, curl and harmonic part of each lane; they add up to the flow's.

        The Hodge decomposition (Jiang, Lim, Yao and Ye 2011): the curl part is spanned by flows around triads, the
        harmonic part runs around longer cycles only.
        """
        root = np.sqrt(weight)[:, np.newaxis]
        total = ((root * flow) ** 2).sum(axis=0)
        rest = root * (flow - self.project(flow, weight))
        left = (rest**2).sum(axis=0)
        curl = self._square_curl(rest, root)
        return np.asarray(total - left), curl, np.asarray(np.maximum(left - curl, 0.0))

    def count_cyclic(self, ahead: Mask, behind: Mask) -> tuple[int, Counts]:
        """How many triads there are, and how many are cyclic in each lane, given who is ahead in each pair."""
        starts, neighbour, order, sign = self.layout
        signs = ((ahead.astype(np.int8) - behind)[order] * sign.astype(np.int8)[:, np.newaxis]).astype(np.int8)
        cyclic = np.zeros(signs.shape[1], np.int64)
        n_triads = count_triads(starts, neighbour, np.ascontiguousarray(signs), cyclic)
        return int(n_triads), cyclic

    def _square_curl(self, rest: Floats, root: Floats) -> Floats:
        """With B = C W^(-1/2): the projection of the rest on the range of B' solves B'B z = B'B rest.

        Without a preconditioner all steps stay in that range, so that z is the projection itself and no number is
        kept for a triad.
        """
        starts, neighbour, order, sign = self.layout
        scale = sign[:, np.newaxis] / root[order]

        def multiply(flow: Floats) -> Floats:
            image = np.zeros_like(flow)
            add_curls(starts, neighbour, np.ascontiguousarray(scale * flow), image)
            return np.asarray(scale * image)

        ordered = np.ascontiguousarray(rest[order])
        right = multiply(ordered)
        curl = conjugate_gradients(multiply, right, np.ones((len(self), 1)), tolerance=_TOLERANCE)
        # with z off by e this is the square of the projection less e^2: an error of second order only
        return np.asarray((curl * (2 * ordered - curl)).sum(axis=0))


def draw_ratings(graph: PairGraph, weight: Floats, ridge: float, n_lanes: int, rng: np.random.Generator) -> Floats:
    """Deviations of ratings from their best fit, (players, lanes), drawn from the normal law that the fit implies.

    H^-1 (B' W^(1/2) z + (2 ridge)^(1/2) z') has the covariance H^-1 of H = B'WB + 2 ridge (Papandreou and Yuille 2010).
    """
    turned = graph.incidence.T.tocsr()
    laplacian = turned @ (weight[:, np.newaxis] * graph.incidence)
    right = turned @ (np.sqrt(weight)[:, np.newaxis] * rng.standard_normal((len(graph), n_lanes)))
    right += np.sqrt(2 * ridge) * rng.standard_normal((graph.n_players, n_lanes))
    diagonal = (laplacian.diagonal() + 2 * ridge)[:, np.newaxis]
    return conjugate_gradients(lambda x: laplacian @ x + 2 * ridge * x, right, diagonal, tolerance=_TOLERANCE)
