"""Ratings on the scale of a game's own scores: series Elo, every update of it, and the systems it is compared with."""

from typing import TYPE_CHECKING

from ludometer.lazy import load_on_use

if TYPE_CHECKING:
    from ludometer.ratings.scores.as_printed import MultiplayerElo as MultiplayerElo
    from ludometer.ratings.scores.as_printed import QuotientElo as QuotientElo
    from ludometer.ratings.scores.audit import SeriesRatings as SeriesRatings
    from ludometer.ratings.scores.audit import rate_series as rate_series
    from ludometer.ratings.scores.elo import SeriesElo as SeriesElo
    from ludometer.ratings.scores.elo import make_series_elo as make_series_elo
    from ludometer.ratings.scores.series import make_series as make_series
    from ludometer.ratings.scores.series import series_frame as series_frame
    from ludometer.ratings.scores.starting_position import adjust_for_position as adjust_for_position

__getattr__, __dir__ = load_on_use(__name__)
