"""The value of a game by the international rules (ISkO), game by game and in arrays, and the rules that clubs add."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ludometer.arrays import Codes, Mask
from ludometer.errors import LudometerError
from ludometer.skat.language import Language, find_word, say
from ludometer.skat.rules.cards import GAMES, GRAND, NULL

if TYPE_CHECKING:
    import polars as pl

BASE_VALUES = (12, 11, 10, 9, 24, 0)
"""By game C S H D G N; null has fixed values."""

NULL_VALUES = (23, 35, 46, 59)
"""Null, hand, ouvert, ouvert and hand."""

BIDS = tuple(
    sorted(
        {base * factor for base in BASE_VALUES[:4] for factor in range(2, 19)}
        | {24 * factor for factor in range(2, 12)}
        | set(NULL_VALUES)
    )
)
"""The values that can be bid: every value that a game can have."""

_CODE = re.compile(r"([GCSHDN])([OHSZ]*)")


@dataclass(frozen=True)
class Contract:
    """A game and what was announced with it; an announcement brings those below it: ouvert, schwarz, schneider, hand.

    >>> Contract.parse("CO")
    Contract(game=0, hand=True, schneider=True, schwarz=True, ouvert=True)
    >>> Contract.parse("NO").hand
    False
    """

    game: int
    hand: bool = False
    schneider: bool = False
    schwarz: bool = False
    ouvert: bool = False

    def __post_init__(self) -> None:
        if self.game not in range(6):
            raise LudometerError(f"a game must be a number from 0 to 5 (C S H D G N), not {self.game}")
        if self.game == NULL:
            if self.schneider or self.schwarz:
                raise LudometerError("neither schneider nor schwarz can be announced in null")
            return
        schwarz = self.schwarz or self.ouvert
        schneider = self.schneider or schwarz
        for name, value in (("schwarz", schwarz), ("schneider", schneider), ("hand", self.hand or schneider)):
            object.__setattr__(self, name, value)

    @classmethod
    def parse(cls, text: str) -> Contract:
        """From a code (G C S H D N, then O ouvert, H hand, S schneider, Z schwarz), or from German or English words.

        >>> Contract.parse("HH") == Contract.parse("Herz Hand") == Contract.parse("hearts hand")
        True
        """
        if code := _CODE.fullmatch(text.strip()):
            letters = code[2]
            return cls(GAMES.index(code[1]), "H" in letters, "S" in letters, "Z" in letters, "O" in letters)
        parts = [part for part in re.split(r"[\s,;+]+", text.strip()) if part]
        found = [find_word(part, _CONTRACT_WORDS) for part in parts]
        games = [word for word in found if word in tuple(GAMES)]
        if len(games) != 1 or None in found:
            raise LudometerError(
                f"{text!r} is not a contract: write a code such as CHS, or words such as 'clubs hand schneider'"
            )
        return cls(
            GAMES.index(games[0] or ""), "hand" in found, "schneider" in found, "schwarz" in found, "ouvert" in found
        )

    @property
    def code(self) -> str:
        """As in records of the Skat server: what goes without saying is left out.

        >>> Contract.parse("grand ouvert").code, Contract(0, schwarz=True).code
        ('GO', 'CHZ')
        """
        if self.game == NULL:
            return "N" + "O" * self.ouvert + "H" * self.hand
        if self.ouvert:
            return GAMES[self.game] + "O"
        return GAMES[self.game] + "H" * self.hand + ("Z" if self.schwarz else "S" * self.schneider)

    def describe(self, language: Language = "en") -> str:
        """In words.

        >>> Contract(0, schneider=True).describe("de")
        'Kreuz Hand Schneider angesagt'
        """
        words = [GAMES[self.game]]
        if self.ouvert:
            words += ["hand", "ouvert"] if self.hand and self.game == NULL else ["ouvert"]
        elif self.hand:
            words += ["hand"]
            if self.schneider:
                words += ["schwarz" if self.schwarz else "schneider", "announced"]
        return " ".join(say(word, language) for word in words)


_CONTRACT_WORDS = (*GAMES, "hand", "schneider", "schwarz", "announced", "ouvert")


@dataclass(frozen=True)
class GameScore:
    """One game: its value, whether it was overbid and won, and the declarer's points (value, or -2 times it)."""

    value: int
    points: int
    won: bool
    overbid: bool


def score_game(
    contract: Contract,
    *,
    matadors: int = 0,
    eyes: int = 120,
    tricks: int | None = None,
    bid: int = 18,
    gave_up: bool = False,
    counts_levels: bool = True,
) -> GameScore:
    """A game by the rules: `matadors` of either sign, the declarer's `eyes` with the skat, and `tricks`.

    factor = matadors + 1 + hand + schneider + announced + schwarz + announced + ouvert; won with 61 eyes and all that
    was announced; lost at -2 x value; value below the bid: lost at the next multiple of the base (ISkO 5.2, 5.4).
    Null is won without a trick; bid above its fixed value it is lost at that value. Without `tricks` a trump game is
    not schwarz for either side. A declarer who `gave_up` has lost, whatever the eyes; `counts_levels` is False for a
    game lost before the first trick was complete, which has no schneider or schwarz.

    >>> score_game(Contract.parse("D"), matadors=1, eyes=70, bid=22)
    GameScore(value=27, points=-54, won=False, overbid=True)
    >>> score_game(Contract.parse("CO"), matadors=2, eyes=120, tricks=10).points
    108
    >>> score_game(Contract.parse("GHS"), matadors=4, eyes=89).points
    -384
    """
    if contract.game == NULL:
        value = NULL_VALUES[contract.hand + 2 * contract.ouvert]
        overbid = value < bid
        won = not (tricks or 0) and not gave_up and not overbid
        return GameScore(value, value if won else -2 * value, won, overbid)
    if not 1 <= abs(matadors) <= (4 if contract.game == GRAND else 11):
        raise LudometerError(f"{matadors} matadors: with or without 1 to 11, in grand to 4")
    is_schneider, is_schwarz = eyes >= 90, tricks == 10
    won = (
        eyes > 60 and not gave_up and (is_schneider or not contract.schneider) and (is_schwarz or not contract.schwarz)
    )
    if not won:
        is_schneider, is_schwarz = counts_levels and eyes <= 30, counts_levels and tricks == 0
    schwarz = contract.schwarz or is_schwarz
    schneider = contract.schneider or is_schneider or schwarz
    factor = (
        abs(matadors)
        + 1
        + contract.hand
        + schneider
        + contract.schneider
        + schwarz
        + contract.schwarz
        + contract.ouvert
    )
    base = BASE_VALUES[contract.game]
    value = base * factor
    overbid = value < bid
    if overbid:
        value = -(-bid // base) * base
        won = False
    return GameScore(value, value if won else -2 * value, won, overbid)


@dataclass(frozen=True, eq=False)
class GameScores:
    """Many games, as arrays: see `GameScore`."""

    value: Codes
    points: Codes
    won: Mask
    overbid: Mask

    def __len__(self) -> int:
        return len(self.value)

    def to_frame(self) -> pl.DataFrame:
        """value, points, won, overbid."""
        import polars as pl

        return pl.DataFrame(vars(self))


def score_games(
    game: ArrayLike,
    *,
    hand: ArrayLike = False,
    schneider: ArrayLike = False,
    schwarz: ArrayLike = False,
    ouvert: ArrayLike = False,
    matadors: ArrayLike = 1,
    eyes: ArrayLike = 120,
    tricks: ArrayLike = -1,
    bid: ArrayLike = 18,
    gave_up: ArrayLike = False,
    counts_levels: ArrayLike = True,
) -> GameScores:
    """`score_game` for arrays that broadcast; tricks of -1 are unknown, a game of -1 was folded and is worth nothing.

    >>> score_games([3, 4], hand=[False, True], ouvert=[False, True], matadors=[1, 4], tricks=[5, 10],
    ...             eyes=[70, 120], bid=[22, 18]).points.tolist()
    [-54, 264]
    """
    parts = (game, matadors, eyes, tricks, bid, hand, schneider, schwarz, ouvert, gave_up, counts_levels)
    arrays = np.broadcast_arrays(*(np.atleast_1d(np.asarray(part)) for part in parts))
    games, matador, eye, trick, bids = (array.astype(np.int32) for array in arrays[:5])
    is_hand, says_schneider, says_schwarz, is_ouvert, given, levels = (array.astype(bool) for array in arrays[5:])
    is_null, is_folded = games == NULL, games < 0
    says_schwarz = says_schwarz | is_ouvert
    says_schneider = says_schneider | says_schwarz
    in_hand = is_hand | says_schneider

    won = (eye > 60) & ~given & ((eye >= 90) | ~says_schneider) & ((trick == 10) | ~says_schwarz)
    makes_schwarz = says_schwarz | np.where(won, trick == 10, levels & (trick == 0))
    makes_schneider = says_schneider | makes_schwarz | np.where(won, eye >= 90, levels & (eye <= 30))
    steps = (in_hand, makes_schneider, says_schneider, makes_schwarz, says_schwarz, is_ouvert)
    factor = np.abs(matador) + 1 + sum(step.astype(np.int32) for step in steps)
    base = np.array(BASE_VALUES, np.int32)[np.clip(games, 0, 5)]
    fixed = np.array(NULL_VALUES, np.int32)[is_hand + 2 * is_ouvert]
    value = np.where(is_null, fixed, base * factor)
    overbid = (value < bids) & ~is_folded
    won = np.where(is_null, (trick <= 0) & ~given, won) & ~overbid & ~is_folded
    value = np.where(overbid & ~is_null, -(-bids // np.maximum(base, 1)) * base, value)
    value = np.where(is_folded, 0, value).astype(np.int32)
    points: NDArray[np.int32] = np.where(won, value, -2 * value).astype(np.int32)
    return GameScores(value, points, won, overbid)


@dataclass(frozen=True)
class HouseRules:
    """Which house rules apply; they never multiply the bonus of 50 and 40 of a series.

    >>> HouseRules(kontra=True).multiply(-48, kontra=True).tolist()
    -96
    """

    kontra: bool = False
    """A defender's kontra doubles; the declarer's re doubles again."""
    bock: bool = False
    """Games of a Bock round count twice."""
    ramsch: bool = False
    """When all pass, the deal is played for the fewest eyes instead of being folded."""
    march: int = 120
    """What a player gets for all ten tricks of a Ramsch."""

    def multiply(
        self, points: ArrayLike, *, kontra: ArrayLike = False, re: ArrayLike = False, bock: ArrayLike = False
    ) -> Codes:
        """Points of games under these rules: x 2 for kontra, x 4 for kontra and re, x 2 in a Bock round."""
        kontra, re, bock = (np.asarray(part, bool) for part in (kontra, re, bock))
        if not self.kontra and (kontra.any() or re.any()):
            raise LudometerError("kontra and re are not part of the rules; --house-rules kontra allows them")
        if not self.bock and bock.any():
            raise LudometerError("Bock rounds are not part of the rules; --house-rules bock allows them")
        if np.any(re & ~kontra):
            raise LudometerError("re answers kontra: it needs one")
        factor = (1 + kontra.astype(np.int32)) * (1 + re.astype(np.int32)) * (1 + bock.astype(np.int32))
        return np.asarray(np.asarray(points, np.int32) * factor, np.int32)

    def score_ramsch(
        self, eyes: ArrayLike, tricks: ArrayLike, *, passed_on: ArrayLike = 0, bock: ArrayLike = False
    ) -> Codes:
        """Points of the three players (last axis) in Ramsch: the player with most eyes loses them, without a bonus.

        Points double for each player without a trick and each time the skat was passed on unseen. A player who takes
        all tricks gets `march`, doubled only for the skat passed on. All players who share most eyes lose.

        >>> HouseRules(ramsch=True).score_ramsch([70, 50, 0], [6, 4, 0]).tolist()
        [-140, 0, 0]
        >>> HouseRules(ramsch=True).score_ramsch([120, 0, 0], [10, 0, 0]).tolist()
        [120, 0, 0]
        """
        if not self.ramsch:
            raise LudometerError("Ramsch is not part of the rules; --house-rules ramsch allows it")
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
