"""Rules that clubs add to the international ones: Kontra and Re, Bock rounds, Ramsch; all off by default."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ludometer.arrays import Codes
from ludometer.errors import LudometerError


@dataclass(frozen=True)
class HouseRules:
    """Which rules of the house hold; the bonus of 50 and 40 of a series is never multiplied.

    >>> HouseRules(kontra=True).multiply(-48, kontra=True).tolist()
    -96
    """

    kontra: bool = False
    """A defender's kontra doubles; the declarer's re doubles again."""
    bock: bool = False
    """Games of a Bock round count twice."""
    ramsch: bool = False
    """When all pass, it is played for the fewest eyes instead of being folded."""
    march: int = 120
    """What the player of all ten tricks of a Ramsch gets."""

    def multiply(
        self, points: ArrayLike, *, kontra: ArrayLike = False, re: ArrayLike = False, bock: ArrayLike = False
    ) -> Codes:
        """Points of games under these rules: x 2 for kontra, x 4 for kontra and re, x 2 in a Bock round."""
        kontra, re, bock = (np.asarray(part, bool) for part in (kontra, re, bock))
        if not self.kontra and (kontra.any() or re.any()):
            raise LudometerError("kontra and re are no part of the rules; HouseRules(kontra=True) allows them")
        if not self.bock and bock.any():
            raise LudometerError("Bock rounds are no part of the rules; HouseRules(bock=True) allows them")
        if np.any(re & ~kontra):
            raise LudometerError("re answers kontra: there is none without it")
        factor = (1 + kontra.astype(np.int32)) * (1 + re.astype(np.int32)) * (1 + bock.astype(np.int32))
        return np.asarray(np.asarray(points, np.int32) * factor, np.int32)

    def score_ramsch(
        self, eyes: ArrayLike, tricks: ArrayLike, *, passed_on: ArrayLike = 0, bock: ArrayLike = False
    ) -> Codes:
        """Points of the three players (last axis) in Ramsch: who has most eyes loses them; no bonus goes with it.

        Doubled for each player without a trick and each time that the skat was passed on unseen. Who takes all
        tricks gets `march`, doubled by what was passed on only. Of equals with most eyes all lose.

        >>> HouseRules(ramsch=True).score_ramsch([70, 50, 0], [6, 4, 0]).tolist()
        [-140, 0, 0]
        >>> HouseRules(ramsch=True).score_ramsch([120, 0, 0], [10, 0, 0]).tolist()
        [120, 0, 0]
        """
        if not self.ramsch:
            raise LudometerError("Ramsch is no part of the rules; HouseRules(ramsch=True) allows it")
        eyes, tricks = np.asarray(eyes, np.int32), np.asarray(tricks, np.int32)
        if eyes.shape[-1:] != (3,) or np.any(eyes.sum(axis=-1) != 120) or np.any(tricks.sum(axis=-1) != 10):
            raise LudometerError("three players share 120 eyes and 10 tricks")
        virgins = (tricks == 0).sum(axis=-1)
        passes = 1 << np.asarray(passed_on, np.int32)
        loses = eyes == eyes.max(axis=-1, keepdims=True)
        lost = np.where(loses, -eyes * ((1 << virgins) * passes)[..., None], 0)
        marched = tricks == 10
        points = np.where(marched.any(axis=-1, keepdims=True), self.march * passes[..., None] * marched, lost)
        return self.multiply(points, bock=np.asarray(bock, bool)[..., None])
