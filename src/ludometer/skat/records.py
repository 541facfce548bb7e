"""Game records as one Polars frame with hands as masks, completed with what the rules say about each game.

One row per game. The source gives: `series`, `game_id`, `place`, `time`, `player_0` to `player_2` (forehand,
middlehand, rearhand), `rating_0` to `rating_2`, `hand_0` to `hand_2` and `skat` as dealt (masks), `declarer` (seat),
`game` (0..5: C S H D G N; null if none), `is_hand`, `schneider`, `schwarz`, `ouvert` (announced), `bid`,
`discards` (mask of the final skat), `cards` (30 in the order of play, 255 for none), `n_played`, `gave_up` (the
declarer resigned, left or ran out of time), `kind` (won, lost, folded, penalty, unknown), `resigned` and `penalty`
(bits of seats), `left`, `timed_out` (seats), and `..._recorded`: points, matadors, eyes, tricks, won, overbid,
schneider and schwarz (made by either side). The rules give: `matadors`, `eyes`, `tricks`, `won`, `value`, `points`,
`overbid`, and `difference`: how the record differs from the rules, null if it does not. A replay adds `winners` (of
tricks, -1 for none) and `illegal` (the first card against the rules, from 0).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ludometer.skat.language import (
    BEFORE_DISCARD,
    NOT_KNOWN,
    OTHER_FLAGS,
    OTHER_LEVELS,
    OTHER_MATADORS,
    OTHER_OVERBID,
    OTHER_RESULT,
)
from ludometer.skat.rules import cards
from ludometer.skat.rules.games import GameScores, score_games
from ludometer.skat.rules.tricks import Replays, replay_games

if TYPE_CHECKING:
    import polars as pl

KINDS = ("unknown", "folded", "won", "lost", "penalty")
SEATS = ("0", "1", "2")
N_PLAYED = 30


def schema() -> dict[str, Any]:
    """The columns that a source fills, with their types."""
    import polars as pl

    texts = ("series", "game_id", "place")
    return {
        **dict.fromkeys(texts, pl.String()),
        "time": pl.Datetime("us"),
        **{f"player_{seat}": pl.String() for seat in SEATS},
        **{f"rating_{seat}": pl.Float64() for seat in SEATS},
        **{f"hand_{seat}": pl.UInt32() for seat in SEATS},
        "skat": pl.UInt32(),
        "declarer": pl.Int8(),
        "game": pl.Int8(),
        **dict.fromkeys(("is_hand", "schneider", "schwarz", "ouvert"), pl.Boolean()),
        "bid": pl.Int16(),
        "discards": pl.UInt32(),
        "cards": pl.Array(pl.UInt8(), N_PLAYED),
        "n_played": pl.UInt8(),
        "gave_up": pl.Boolean(),
        "kind": pl.Enum(KINDS),
        "resigned": pl.UInt8(),
        "penalty": pl.UInt8(),
        "left": pl.Int8(),
        "timed_out": pl.Int8(),
        "points_recorded": pl.Int32(),
        "matadors_recorded": pl.Int8(),
        "eyes_recorded": pl.Int16(),
        "tricks_recorded": pl.Int8(),
        "won_recorded": pl.Boolean(),
        "overbid_recorded": pl.Boolean(),
        "schneider_recorded": pl.Boolean(),
        "schwarz_recorded": pl.Boolean(),
    }


def complete_records(frame: pl.DataFrame, *, replay: bool = False) -> pl.DataFrame:
    """Add what the rules say; `replay` counts eyes and tricks from the cards, where those were played by the rules.

    When play stopped early, the remaining eyes and tricks are the declarer's if the defenders gave up, else nobody's.
    """
    import polars as pl

    columns = _Columns(frame)
    eyes, tricks = columns.of("eyes_recorded", -1), columns.of("tricks_recorded", -1)
    extra: dict[str, Any] = {}
    if replay:
        replays = replay_games(columns.game, columns.hands_at_play, columns.played, columns.of("n_played", 0))
        eyes, tricks = _counted(columns, replays, eyes, tricks)
        extra["winners"] = pl.Series(replays.winners, dtype=pl.Array(pl.Int8, 10))
        extra["illegal"] = pl.Series(replays.fault).replace(-1, None)
    matadors = cards.count_matadors(columns.declarer_cards, np.maximum(columns.game, 0))
    scores = _score(columns, matadors, eyes, tricks)
    is_scored = columns.is_known & (columns.game >= 0) & (eyes >= 0)
    found = {
        "matadors": (matadors, pl.Int8),
        "eyes": (eyes, pl.Int16),
        "tricks": (tricks, pl.Int8),
        "won": (scores.won, pl.Boolean),
        "value": (scores.value, pl.Int32),
        "points": (scores.points, pl.Int32),
        "overbid": (scores.overbid, pl.Boolean),
    }
    seen = pl.Series(is_scored)
    added = pl.DataFrame({name: pl.Series(values, dtype=kind) for name, (values, kind) in found.items()})
    added = added.with_columns(pl.when(seen).then(pl.all())).with_columns(tricks=_known(added["tricks"], seen))
    idle = frame["game"].is_null()
    added = added.with_columns(points=pl.when(idle).then(pl.lit(0, pl.Int32)).otherwise(added["points"]))
    whole = frame.with_columns(*added.get_columns(), *(series.alias(name) for name, series in extra.items()))
    return whole.with_columns(difference=_explain(pl.Series(columns.is_before_discard), _has_other_flags()))


class _Columns:
    """The columns that rules need, as arrays."""

    def __init__(self, frame: pl.DataFrame) -> None:
        self.frame = frame
        self.game = self.of("game", -1).astype(np.int64)
        self.declarer = self.of("declarer", -1).astype(np.int64)
        hands = np.stack([self.of(f"hand_{seat}", 0) for seat in SEATS], axis=1).astype(np.uint32)
        skat, discards = (self.of(name, 0).astype(np.uint32) for name in ("skat", "discards"))
        rows, seat = np.arange(len(hands)), np.maximum(self.declarer, 0)
        self.declarer_cards = hands[rows, seat] | skat
        self.is_known = (self.declarer >= 0) & (cards.count_cards(self.declarer_cards) == 12)
        self.is_before_discard = self.is_known & (discards == 0)
        self.discards = discards
        self.defenders_gave_up = self._defenders_gave_up()
        self.hands_at_play = hands.copy()
        self.hands_at_play[rows, seat] = self.declarer_cards & ~discards
        self.played = frame["cards"].to_numpy() if len(frame) else np.empty((0, N_PLAYED), np.uint8)

    def _defenders_gave_up(self) -> Any:
        resigned = np.bitwise_count(self.of("resigned", 0) & ~(1 << np.maximum(self.declarer, 0)) & 7)
        gone, late = self.of("left", -1), self.of("timed_out", -1)
        away = ((gone >= 0) & (gone != self.declarer)) | ((late >= 0) & (late != self.declarer))
        # on some servers one resignation is enough, on others both must resign: the winner tells
        return away | (resigned == 2) | ((resigned == 1) & self.flag("won_recorded"))

    def of(self, name: str, missing: int) -> Any:
        return self.frame[name].fill_null(missing).to_numpy()

    def flag(self, name: str) -> Any:
        return self.frame[name].fill_null(False).to_numpy()


def _counted(columns: _Columns, replays: Replays, eyes: Any, tricks: Any) -> tuple[Any, Any]:
    """The declarer's eyes with the skat, and tricks, from the cards where these are known."""
    rows, seat = np.arange(len(replays)), np.maximum(columns.declarer, 0)
    own_eyes, own_tricks = replays.eyes[rows, seat], replays.tricks[rows, seat]
    gets_rest = columns.defenders_gave_up & (columns.game != cards.NULL)
    counted_eyes = np.where(
        gets_rest, 120 - (replays.eyes.sum(axis=1) - own_eyes), own_eyes + cards.count_eyes(columns.discards)
    )
    counted_tricks = np.where(gets_rest, 10 - (replays.tricks.sum(axis=1) - own_tricks), own_tricks)
    can_tell = columns.is_known & (columns.discards != 0) & (columns.game >= 0) & (replays.fault < 0)
    return np.where(can_tell, counted_eyes, eyes), np.where(can_tell, counted_tricks, tricks)


def _score(columns: _Columns, matadors: Any, eyes: Any, tricks: Any) -> GameScores:
    return score_games(
        columns.game,
        hand=columns.flag("is_hand"),
        schneider=columns.flag("schneider"),
        schwarz=columns.flag("schwarz"),
        ouvert=columns.flag("ouvert"),
        matadors=matadors,
        eyes=eyes,
        tricks=tricks,
        bid=columns.of("bid", 0),
        gave_up=columns.flag("gave_up"),
        counts_levels=columns.of("n_played", 0) >= 3,
    )


def _known(tricks: pl.Series, seen: pl.Series) -> pl.Series:
    import polars as pl

    return pl.select(pl.when(seen & (tricks >= 0)).then(tricks)).to_series()


def _has_other_flags() -> pl.Expr:
    """Does the recorded schneider or schwarz of a trump game contradict eyes and tricks?"""
    import polars as pl

    won, eyes, tricks, starts = pl.col("won"), pl.col("eyes"), pl.col("tricks"), pl.col("n_played") >= 3
    by_cards = pl.col("eyes") > 60
    schneider = pl.when(by_cards).then(eyes >= 90).otherwise((eyes <= 30) & starts)
    schwarz = pl.when(by_cards).then(tricks == 10).otherwise((tricks == 0) & starts)
    differs = (schneider != pl.col("schneider_recorded")) | (schwarz != pl.col("schwarz_recorded"))
    return (pl.col("game") != cards.NULL) & won.is_not_null() & differs


def _explain(is_before_discard: pl.Series, has_other_flags: pl.Expr) -> pl.Expr:
    import polars as pl

    points, recorded = pl.col("points"), pl.col("points_recorded")
    return (
        pl.when(recorded.is_null())
        .then(pl.lit(None, pl.String))
        .when(points.is_null())
        .then(pl.lit(NOT_KNOWN))
        .when((points == recorded) & has_other_flags)
        .then(pl.lit(OTHER_FLAGS))
        .when(points == recorded)
        .then(pl.lit(None, pl.String))
        .when(is_before_discard)
        .then(pl.lit(BEFORE_DISCARD))
        .when(pl.col("matadors") != pl.col("matadors_recorded"))
        .then(pl.lit(OTHER_MATADORS))
        .when(pl.col("overbid") != pl.col("overbid_recorded"))
        .then(pl.lit(OTHER_OVERBID))
        .when(pl.col("won") != pl.col("won_recorded"))
        .then(pl.lit(OTHER_RESULT))
        .otherwise(pl.lit(OTHER_LEVELS))
    )
