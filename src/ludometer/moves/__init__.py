"""Strength from moves and decisions, what chess and backgammon share: gains, samples, pairs, intervals."""

from typing import TYPE_CHECKING

from ludometer.lazy import load_on_use

if TYPE_CHECKING:
    from ludometer.moves.gains import ENGINE as ENGINE
    from ludometer.moves.gains import Gains as Gains
    from ludometer.moves.gains import Reference as Reference
    from ludometer.moves.gains import expected_score as expected_score
    from ludometer.moves.gains import pool_gains as pool_gains
    from ludometer.moves.gains import rating_difference as rating_difference
    from ludometer.moves.pairs import AgainstReference as AgainstReference
    from ludometer.moves.pairs import PairTable as PairTable
    from ludometer.moves.uncertainty import Intervals as Intervals

__getattr__, __dir__ = load_on_use(__name__)
