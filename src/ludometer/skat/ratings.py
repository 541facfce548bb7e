"""Ratings of a club or league from its series: the result of `skat rate`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ludometer.chart_style import ACCENT, INK
from ludometer.errors import LudometerError, MatchDataError
from ludometer.matches import Matches
from ludometer.ratings.scores.audit import SeriesRatings, View, json_rows, plot_ratings, rate_series
from ludometer.ratings.scores.series import PLAYED_SCORE, hide_players, number_if_named, played_scores, series_since
from ludometer.result import Provenance, Shown
from ludometer.skat.language import Language, number_axis, phrase
from ludometer.skat.seasons import award_titles, compare_variants, list_games, season_table, team_table

if TYPE_CHECKING:
    import polars as pl

    from ludometer.ratings.scores.elo import SeriesElo, SeriesEloFromMean
    from ludometer.skat.luck.factors import ChanceEffect, ChanceFactors, Strength
    from ludometer.skat.sensitivity import Sensitivity
    from ludometer.skat.sheets import SkatGames

SHOWN = 30
"""Players in the chart of the rating list."""

_GERMAN_DAY = "%d.%m.%y"
_MOST_BANDS = 2
"""Bands of more players hide one another."""


@dataclass(frozen=True)
class SkatSeries:
    """Series to rate, and what belongs to them: their games, teams, a published list, the luck that was removed."""

    series: Matches
    games: SkatGames | None = None
    teams: dict[str, str] | None = None
    standing: pl.DataFrame | None = None
    """player, rating and optionally series: what stood before."""
    chance: ChanceEffect | None = None

    @property
    def played(self) -> Matches:
        """The series with the scores as they were played."""
        known = {name: own for name, own in self.series.seat_covariates.items() if name != PLAYED_SCORE}
        return replace(self.series, score=played_scores(self.series), seat_covariates=known)

    def corrected(self, factors: ChanceFactors, *, strength: Strength | None = None, seed: int = 0) -> SkatSeries:
        """With scores corrected for card luck."""
        from ludometer.skat.luck.factors import correct_series, measure_effect

        if self.games is None:
            raise LudometerError("chance factors need game records with cards, not results of series")
        after = correct_series(self.series, self.games, factors, strength=strength, seed=seed)
        return replace(self, series=after, chance=measure_effect(self.series, after, factors))

    def with_adjusted(self, after: Matches) -> SkatSeries:
        """With scores adjusted for the starting position."""
        from ludometer.skat.luck.factors import measure_effect

        return replace(self, series=after, chance=measure_effect(self.series, after, None))

    def hidden(self, seed: int) -> SkatSeries:
        """With numbers instead of names, the same ones everywhere."""
        import polars as pl

        after = hide_players(self.series, seed=seed)
        before = self.series.players.names.to_list()
        number = dict(zip(before, after.players.names.to_list(), strict=True))
        teams, standing = self.teams, self.standing
        if teams is not None:
            # teams keep their names unless one is named after a player
            called = sorted(set(teams.values()))
            shown = dict(zip(called, number_if_named(called, before, prefix="T-"), strict=True))
            teams = {number[name]: shown[team] for name, team in teams.items() if name in number}
        if standing is not None:
            known = standing.filter(pl.col("player").is_in(before))
            standing = known.with_columns(pl.col("player").replace_strict(number))
        return replace(self, series=after, teams=teams, standing=standing)


@dataclass(frozen=True)
class SeasonRules:
    """What counts in a season table: see `season_table`."""

    since: str | None = None
    dropped: int = 0
    min_series: int = 0
    min_share: float = 0.0

    @property
    def are_special(self) -> bool:
        """Whether some lists or players do not count."""
        return bool(self.dropped or self.min_series or self.min_share)


@dataclass(frozen=True)
class SkatRatings(Shown):
    """Ratings with every update, titles, season and team tables, and other systems side by side.

    The tables are computed when they are first looked at.
    """

    source: SkatSeries
    ratings: SeriesRatings
    players: pl.DataFrame
    """The rating list, with titles where there are any."""
    rules: SeasonRules = field(default_factory=SeasonRules)
    drawn: tuple[str, ...] = ()
    """Players in the charts; by default the five best."""
    sensitivity: Sensitivity | None = None

    @property
    def provenance(self) -> Provenance:
        """Which system, with which parameters, on which series."""
        return self.ratings.provenance

    @cached_property
    def season(self) -> pl.DataFrame | None:
        """The season table; None where the length of a list is not known."""
        if self.season_is_absent:
            return None
        rules = vars(self.rules)
        return season_table(self.source.series, **rules)

    @cached_property
    def season_is_absent(self) -> str:
        """Why there is no season table; empty if there is one."""
        try:
            list_games(self.source.series)
        except MatchDataError as error:
            return str(error)
        return ""

    @cached_property
    def teams(self) -> pl.DataFrame | None:
        """Team points, if teams are known."""
        if self.source.teams is None:
            return None
        series, since = self.source.series, self.rules.since
        counted = series if since is None else series.take(series_since(series, since))
        return team_table(counted, self.source.teams)

    @cached_property
    def variants(self) -> pl.DataFrame:
        """Other systems on all series, the chosen one first."""
        from ludometer.ratings.scores.as_printed import FORUM, MultiplayerElo, QuotientElo
        from ludometer.ratings.scores.elo import SeriesElo

        series = self.source.series
        given = {name: value for name, value in self.provenance.parameters.items() if name != "prizes"}
        own = SeriesElo(**given)
        start = own.start_rating
        other = replace(FORUM, start_rating=start) if own.form == "proportional" else SeriesElo(start_rating=start)
        by_places = [MultiplayerElo(method=method) for method in ("mean", "points", "softmax")]
        games = series.seat_covariates.get("games") if self.season_is_absent else list_games(series)
        systems = [own, other, QuotientElo(start_rating=start), *by_places]
        return compare_variants(series, systems=systems, games=games)  # type: ignore[arg-type]  # games are numbers

    def to_frame(self) -> pl.DataFrame:
        """The players, best first."""
        return self.players

    def summary(self, language: Language = "en", top: int = 20, explain: str | None = None) -> str:
        """The rating list, and the tables that were asked for."""
        from ludometer.skat.report.tables import describe_ratings

        return describe_ratings(self, language, top=top, explain=explain)

    def charts(self, *, narrow: bool = False, language: Language = "en") -> dict[str, Any]:
        """The rating list as dots, the course of ratings in both views, and the table of K and factors if wanted."""
        found = {"ratings": self._chart_list(language, narrow=narrow)}
        found |= {
            "contracted": self._chart_course("contracted", language, narrow=narrow),
            "expanded": self._chart_course("expanded", language, narrow=narrow),
        }
        if self.sensitivity is not None:
            found |= self.sensitivity.charts(narrow=narrow, language=language)
        return found

    def require(self, names: Sequence[str], hint: str = "") -> None:
        """Refuse players who have no update here."""
        known = set(self.ratings.updates["player"].to_list())
        if missing := [name for name in names if name not in known]:
            raise LudometerError(f"nobody called {missing[0]!r} has an update here{hint}")

    @property
    def has_bands(self) -> bool:
        """Whether the charts show bands of one SD."""
        return len(self._in_charts) <= _MOST_BANDS

    @property
    def _in_charts(self) -> list[str]:
        listed = set(self.ratings.updates["player"].to_list())
        return list(self.drawn) or [name for name in self.players["player"].to_list() if name in listed][:5]

    def _chart_list(self, language: Language, *, narrow: bool) -> Any:
        """The best players with one SD on either side; provisional ones hollow."""
        import altair as alt

        best = self.players.head(SHOWN)
        rows = [
            {
                "player": row["player"],
                "rating": row["rating"],
                "low": row["rating"] - row["sd"],
                "high": row["rating"] + row["sd"],
                "label": f"{row['rating']:.0f} ± {row['sd']:.0f}",
                "fill": "white" if row["provisional"] else INK,
            }
            for row in best.iter_rows(named=True)
        ]
        base = alt.Chart(alt.InlineData(values=rows))
        names = alt.Axis(labelLimit=110 if narrow else 200)
        y = alt.Y("player:N", sort=best["player"].to_list(), title=None, axis=names)
        x = alt.X(
            "low:Q",
            title=phrase("rating axis", language),
            scale=alt.Scale(zero=False, nice=True),
            axis=number_axis(language, narrow=narrow),
        )
        bars = base.mark_rule(color=INK, strokeWidth=2).encode(y=y, x=x, x2="high:Q")
        dots = base.mark_point(filled=True, size=60, stroke=INK, opacity=1).encode(
            y=y, x="rating:Q", fill=alt.Fill("fill:N", scale=None)
        )
        text = base.mark_text(align="left", dx=6, color=ACCENT, fontSize=12).encode(y=y, x="high:Q", text="label:N")
        return (bars + dots + text).properties(width=150 if narrow else 440, height=max(20 * len(rows), 60))

    def _chart_course(self, view: View, language: Language, *, narrow: bool) -> Any:
        """The ratings of some players; each line ends in its name."""
        updates = self.ratings.updates
        axis = "own series" if view == "contracted" else "all series"
        if view == "expanded" and "time" in updates.columns:
            axis = "date" if updates["time"].dtype.is_temporal() else "time"
        chart = plot_ratings(
            updates,
            self._in_charts,
            view=view,
            band=self.has_bands,
            title=phrase("Series by series" if view == "contracted" else "Over time", language),
            x_title=phrase(axis, language),
            y_title=phrase("rating axis", language),
            date_format=_GERMAN_DAY if language == "de" else None,
            longest=12 if narrow else 22,
            width=180 if narrow else 500,
            height=220 if narrow else 280,
        )
        if language == "de":
            chart.layer[2].encoding.y.axis = number_axis(language, narrow=narrow)
        return chart

    def document(self) -> dict[str, Any]:
        """Rating list, every update, and the tables of a season; what was not asked for is null."""
        games, chance, spread = self.source.games, self.source.chance, self.sensitivity
        body = self.ratings.document()
        n_games = None if games is None else games.counts.games
        reasons = {
            "provenance.seed": "nothing was drawn",
            "season": self.season_is_absent,
            "teams": "" if self.source.teams is not None else "not asked for (--teams)",
            "chance": "" if chance else "not asked for (--chance)",
            "sensitivity": "" if spread else "not asked for (--sensitivity)",
            "data.games": "" if n_games is not None else "the file has results, not games",
        }
        if "title" in self.players.columns and self.players["title"].null_count():
            reasons["players.title"] = "no threshold is reached, or the rating is provisional"
        tables = {"season": self.season, "teams": self.teams, "variants": self.variants}
        return body | {
            "data": {
                "format": "series results" if games is None else games.format,
                "series": len(self.source.series),
                "players": int((self.source.series.counts > 0).sum()),
                "games": n_games,
                "since": self.ratings.since,
            },
            "players": json_rows(self.players),
            **{name: None if frame is None else json_rows(frame) for name, frame in tables.items()},
            "chance": None if chance is None else chance.document(),
            "sensitivity": None if spread is None else spread.to_frame().to_dicts(),
            "absent": body["absent"] | {key: reason for key, reason in reasons.items() if reason},
        }

    @property
    def noise(self) -> float:
        """SD of a rating by chance at this K, sd sqrt(K / 2)."""
        return self.ratings.score_sd * math.sqrt(float(self.provenance.parameters["k"]) / 2)


def rate_skat(
    source: SkatSeries,
    *,
    system: SeriesElo | SeriesEloFromMean | None = None,
    rules: SeasonRules | None = None,
    titles: dict[str, float] | None = None,
    drawn: Sequence[str] = (),
    sensitivity: Sensitivity | None = None,
) -> SkatRatings:
    """Rate series, with titles and everything that the tables of a season need.

    >>> from ludometer.ratings.scores.series import make_series
    >>> series = make_series({"series": [1, 1, 1], "player": list("ABC"), "score": [1387, 1018, 152]})
    >>> rate_skat(SkatSeries(series)).season.select("place", "player", "average_game").rows()[0]
    (1, 'A', 38.53)
    """
    chosen = rules or SeasonRules()
    ratings = rate_series(source.series, system=system, since=chosen.since, ratings=source.standing)
    players = award_titles(ratings.players, titles) if titles else ratings.players
    return SkatRatings(source, ratings, players, chosen, tuple(drawn), sensitivity)
