"""The bundled match files: games that programs played, and a simulated league; scripts/make_demo_data.py makes them.

The players of a game are a ladder from the best that its program can do in a moment down to careless play. How much
skill a game shows depends on how far apart its players are, so these records are about these ladders, not about people.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

_FOLDER = Path(__file__).parent

CLUB = _FOLDER / "club.csv"
"""Three simulated seasons of a club league: 24 players, 1,500 matches, a tenth of them drawn."""


@dataclass(frozen=True)
class BundledGame:
    """A record of matches that programs played."""

    name: str
    path: Path
    what: str
    """The game, in a sentence."""
    who: str
    """Its players, in a sentence."""
    setting: str
    """What players differ in, where it is a number: for the axis of a chart."""
    pattern: str
    """A regular expression for the names of such players: the number, and the percentage of random play."""

    @property
    def script(self) -> str:
        """The script that plays the matches."""
        return f"scripts/games/play_{self.path.name.split('.')[0]}.py"


def _game(name: str, file: str, **words: str) -> BundledGame:
    return BundledGame(name, _FOLDER / f"{file}.csv.gz", **words)


GAMES = (
    _game(
        "Stockfish chess",
        "chess",
        what="Chess from openings in which neither side is ahead; after 160 plies the side that is ahead wins.",
        who="The engine Stockfish, limited to 1 to 800 nodes per move, with 0 to 75% random moves instead; one player "
        "makes random moves only.",
        setting="Nodes per move",
        pattern=r"stockfish (\d+) nodes?(?: (\d+)% random)?",
    ),
    _game(
        "GNU Backgammon",
        "backgammon",
        what="Backgammon matches to one point, without the doubling cube.",
        who="GNU Backgammon, looking 0 to 2 moves ahead, with more or less noise in its evaluations.",
        setting="Noise in the evaluation (0-ply)",
        pattern=r"gnubg 0-ply(?: noise ([\d.]+))?()",
    ),
    _game(
        "Skat by xskat",
        "skat",
        what="Series of 36 games of Skat at tables of three, scored as leagues do; the highest score wins.",
        who="The program xskat at its five levels, eight equal players of each. The levels differ in bidding, not in "
        "the play of the cards.",
        setting="Level of xskat",
        pattern=r"xskat level (-?\d) [A-H]()",
    ),
    _game(
        "Pig (dice)",
        "pig",
        what="Roll a die as often as you like and keep the sum, but a 1 loses it; the first to reach 100 points wins.",
        who="A perfect player, others like it that decide by a coin now and then, and rules that people use: hold at a "
        "sum, or roll a number of times.",
        setting="Holds at a sum of",
        pattern=r"holds at (\d+)()",
    ),
    _game(
        "Five Tricks",
        "tricks",
        what="A card game for two: five cards each out of twenty, follow suit, trumps win; most tricks in five deals.",
        who="Thinkers, which imagine 1 to 16 deals of the unseen cards and solve them, some of them forgetful; rules "
        "of thumb; and 0 to 100% random cards.",
        setting="Deals that a thinker imagines",
        pattern=r"thinker (\d+) deals?(?: (\d+)% random)?",
    ),
    _game(
        "Coin",
        "coin",
        what="A coin is tossed.",
        who="Forty tossers. There is nothing to be good at.",
        setting="Number of the tosser",
        pattern=r"tosser (\d+)()",
    ),
)
"""Games of 5,000 to 20,000 matches and about forty players."""
