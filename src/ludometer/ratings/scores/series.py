"""Series of scores as matches: lists, tables or rounds that players finish with points.

`Matches` carries a series: places by the score as played, `score` the score to rate, `covariates["series"]` its label.
`seat_covariates` holds what else is known per seat: points, won, lost, games, position (strength of the starting
position) and, where luck was removed from the scores, `played_score`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ludometer.arrays import Array, Counts, Floats, Mask, Times
from ludometer.errors import LudometerError, MatchDataError
from ludometer.matches import Matches, as_moment, owned
from ludometer.players import Labels, Players

if TYPE_CHECKING:
    import polars as pl

OTHERS_LOSS = {3: 40.0, 4: 30.0}
"""What a lost game gives to each of the others, by the size of a Skat table."""

PLAYED_SCORE = "played_score"

SERIES_COLUMNS = ("score", "covariates", "seat_covariates")
"""What series have besides players, places and times; labels and totals are for tables, not for ratings."""

_NAMES = {
    "series": ("series", "list", "table", "match", "match_id", "game_id"),
    "player": ("player", "name"),
    "time": ("time", "date", "datetime", "month"),
    "score": ("score",),
    "adjusted": ("adjusted", "adjusted_score"),
}
_EXTRAS = ("points", "won", "lost", "games", "position")


def make_series(columns: Any, *, others_loss: Mapping[int, float] | None = None) -> Matches:
    """Series in order of time from a frame, an Arrow table or columns by name, with one row per player and series.

    Columns: series, player, and score, or points, won and lost. Without a score it is points + 50 (won - lost) + B
    times the lost games of the others at the table; `others_loss` gives B for each number of players (Skat: 40 for
    three, 30 for four). Rows may be in any order; series follow the column time or date, else their first appearance.
    `adjusted` is the score to rate where luck was removed; games and position (strength of the starting position) are
    kept.

    >>> series = make_series({"series": [1, 1, 1], "player": ["Ann", "Ben", "Cem"], "score": [1387, 1018, 152]})
    >>> len(series), series.score.tolist(), series.seats.place.tolist()
    (1, [1387.0, 1018.0, 152.0], [1, 2, 3])
    """
    import polars as pl

    table = _canonical(pl.DataFrame(columns))
    code, label = _number(table["series"])
    who, names = _number(table["player"])
    time = None if "time" not in table.columns else _series_times(table["time"].to_numpy(), code, label)
    order = np.argsort(code, kind="stable") if time is None else _time_order(code, time)
    sizes = np.bincount(code)
    alone = np.flatnonzero(sizes < 2)
    if len(alone):
        raise MatchDataError(f"{len(alone):,} series have one player only (series {label[alone[0]]})")
    sequence = code[order][np.append(True, np.diff(code[order]) != 0)]
    starts = np.concatenate(([0], np.cumsum(sizes[sequence])))
    known = {name: table[name].to_numpy()[order] for name in _EXTRAS if name in table.columns}
    score = table["score"].to_numpy()[order] if "score" in table.columns else score_lists(starts, known, others_loss)
    series = Matches.of_seats(
        starts,
        owned(who[order].astype(np.int32)),
        _finish(score, known),
        players=Players.named(names),
        time=None if time is None else time[sequence],
        ordered=True,
        score=score,
        covariates={"series": Labels.of([label[number] for number in sequence])},
        seat_covariates=known,
    )
    return with_scores(series, table["adjusted"].to_numpy()[order]) if "adjusted" in table.columns else series


def scores_of(matches: Matches) -> Floats:
    """The score of each seat; a recorded prize counts as one."""
    score = matches.seats.prize if matches.score is None else matches.score
    if score is None:
        raise MatchDataError("series Elo rates scores, and these matches have none: keep their column (--keep score)")
    missing = np.flatnonzero(np.isnan(score))
    if len(missing):
        raise MatchDataError(f"{len(missing):,} seats have no score: leave these matches out, or fill them in")
    return score


def played_scores(series: Matches) -> Floats:
    """The score of each seat as it was played, before luck was removed."""
    return np.asarray(series.seat_covariates.get(PLAYED_SCORE, scores_of(series)))


def with_scores(series: Matches, scores: Floats) -> Matches:
    """The same series with other scores to rate; places stay as they were played."""
    if np.shape(scores) != scores_of(series).shape or not np.isfinite(scores).all():
        raise MatchDataError("adjusted scores have to be numbers, one for each seat")
    known = {**series.seat_covariates, PLAYED_SCORE: played_scores(series)}
    return series.with_columns(score=scores, seat_covariates=known)


def fingerprint_of(series: Matches) -> str:
    """The fingerprint of players, places, times and scores, whatever else is known about the series."""
    seats = replace(series.seats, prize=scores_of(series))
    return Matches(series.players, seats, series.time).fingerprint


def series_labels(series: Matches) -> list[str]:
    """What each series is called; its number, counted from 1, where nothing is known."""
    labels = series.covariates.get("series")
    return labels.text.to_list() if isinstance(labels, Labels) else [str(n) for n in range(1, len(series) + 1)]


def series_since(series: Matches, moment: Any) -> Mask:
    """Which series are from a date on; without times, from a series' label or number (the first is 1) on."""
    if series.time is not None:
        return np.asarray(series.time >= as_moment(moment, series.time))
    labels = series_labels(series)
    if str(moment) in labels:
        first = labels.index(str(moment))
    else:
        try:
            first = int(moment) - 1
        except (TypeError, ValueError) as error:
            raise LudometerError(f"the series have no times, and none is called {moment!r}") from error
    return np.arange(len(series)) >= first


def series_frame(series: Matches) -> pl.DataFrame:
    """series, time if known, player, place, score and the other columns; adjusted where it is not the score."""
    import polars as pl

    seats, sizes = series.seats, series.sizes
    columns: dict[str, Any] = {
        "series": pl.Series(series_labels(series)).gather(np.repeat(np.arange(len(series)), sizes))
    }
    if series.time is not None:
        columns["time"] = np.repeat(series.time, sizes)
    columns |= {"player": series.players.names.gather(seats.player), "place": seats.place}
    columns["score"] = played_scores(series)
    columns |= {name: own for name, own in series.seat_covariates.items() if name != PLAYED_SCORE}
    if not np.array_equal(scores_of(series), columns["score"]):
        columns["adjusted"] = scores_of(series)
    return pl.DataFrame(columns)


def seat_column(series: Matches, name: str) -> Floats:
    """A column of the seats; an error names those that are there."""
    column = played_scores(series) if name == "score" else series.seat_covariates.get(name)
    if column is None or isinstance(column, Labels):
        known = ", ".join(["score", *series.seat_covariates])
        raise MatchDataError(f"the series have no column {name}; there are: {known}")
    return column


def hide_players(series: Matches, *, seed: int = 0) -> Matches:
    """The same series of players called P-1, P-2 and so on, in a random order of their sorted names.

    Series whose labels name players are called 1, 2 and so on.
    """
    names = series.players.names.to_list()
    hidden = anonymous_names(names, seed=seed)
    labels = Labels.of(number_if_named(series_labels(series), names))
    renamed = replace(series, players=Players.named([hidden[name] for name in names]))
    return renamed.with_columns(covariates={**series.covariates, "series": labels})


def anonymous_names(names: Sequence[str], *, seed: int = 0) -> dict[str, str]:
    """A number for each name, the same for the same names and seed, whatever their order.

    >>> anonymous_names(["Ann", "Ben"]) == anonymous_names(["Ben", "Ann"])
    True
    """
    known = sorted(set(names))
    number = np.random.default_rng(seed).permutation(len(known)) + 1
    return {name: f"P-{own}" for name, own in zip(known, number.tolist(), strict=True)}


def number_if_named(labels: Sequence[str], names: Sequence[str], *, prefix: str = "") -> list[str]:
    """The labels, or, if a name stands in one of them, numbers in their order: equal labels get one number.

    >>> number_if_named(["Friday", "Monday"], ["Ann"]), number_if_named(["Ann's", "Monday"], ["Ann"])
    (['Friday', 'Monday'], ['1', '2'])
    """
    import polars as pl

    column, wanted = pl.Series(labels, dtype=pl.String), [name for name in set(names) if name]
    if not wanted or not column.str.contains_any(wanted, ascii_case_insensitive=True).any():
        return list(labels)
    number = {label: f"{prefix}{place}" for place, label in enumerate(dict.fromkeys(labels), 1)}
    return [number[label] for label in labels]


def score_lists(
    starts: Counts, columns: Mapping[str, Floats], others_loss: Mapping[int, float] | None = None
) -> Floats:
    """points + 50 (won - lost) + B times the lost games of the others: the extended Seeger score of each seat.

    >>> list_ = {"points": [492, 628, 660, -32], "won": [12, 12, 10, 6], "lost": [0, 2, 1, 5]}
    >>> score_lists(np.array([0, 4]), {name: np.array(own) for name, own in list_.items()}).tolist()
    [1332.0, 1308.0, 1320.0, 108.0]
    """
    known = OTHERS_LOSS if others_loss is None else others_loss
    sizes = np.diff(starts)
    missing = sorted({int(n) for n in sizes} - set(known))
    if missing:
        raise MatchDataError(f"the bonus for others' lost games is unknown for {missing[0]} players; give scores")
    lost = columns["lost"].astype(np.float64)
    others = np.repeat(np.add.reduceat(lost, starts[:-1]), sizes) - lost if len(lost) else lost
    each = np.repeat([known[int(n)] for n in sizes], sizes)
    return np.asarray(columns["points"] + 50.0 * (columns["won"] - lost) + each * others, np.float64)


def _canonical(frame: pl.DataFrame) -> pl.DataFrame:
    """The columns that are known, under one name each, checked; numbers as such."""
    import polars as pl

    folded = {name.strip().casefold(): name for name in reversed(frame.columns)}
    found = {key: next((folded[name] for name in names if name in folded), None) for key, names in _NAMES.items()}
    found |= {name: folded.get(name) for name in _EXTRAS}
    has_score = found["score"] or all(found[name] for name in ("points", "won", "lost"))
    missing = [name for name in ("series", "player") if not found[name]]
    missing += [] if has_score else ["score (or points, won and lost)"]
    if missing:
        raise MatchDataError(f"no column holds {', '.join(missing)}. The file has: {', '.join(frame.columns)}")
    if not len(frame):
        raise MatchDataError("there are no series")
    numbers = ("score", "adjusted", *_EXTRAS)
    table = frame.select(
        pl.col(name).cast(pl.Float64, strict=False).alias(key) if key in numbers else pl.col(name).alias(key)
        for key, name in found.items()
        if name is not None
    )
    for name in table.columns:
        bad = ~table[name].is_finite().fill_null(False) if name in numbers else table[name].is_null()
        if bad.any():
            rows = bad.arg_true().to_list()
            shown = ", ".join(str(row + 1) for row in rows[:5]) + (" and more" if len(rows) > 5 else "")
            raise MatchDataError(
                f"{name} is missing or not a number: {len(rows):,} of {len(frame):,} rows (row {shown})"
            )
    return table


def _number(column: pl.Series) -> tuple[Counts, list[str]]:
    """Codes in order of appearance, and what they stand for."""
    import polars as pl

    keys = column.alias("key").to_frame()
    known = keys.unique(maintain_order=True).with_row_index("code")
    codes = keys.join(known, on="key", how="left", maintain_order="left")["code"].to_numpy().astype(np.int64)
    return codes, known["key"].cast(pl.String).to_list()


def _series_times(time: Array, code: Counts, label: list[str]) -> Times:
    """The time of each series, which all its rows have to share."""
    if time.dtype.kind not in "Miuf":
        try:
            time = time.astype("datetime64[us]")
            days = time.astype("datetime64[D]")
            time = days if (days == time).all() else time
        except ValueError as error:
            raise MatchDataError(f"a time is neither a number nor a date such as 2015-01-31: {error}") from error
    of_series = np.empty(len(label), time.dtype)
    of_series[code[::-1]] = time[::-1]
    differ = np.unique(code[of_series[code] != time])
    if len(differ):
        raise MatchDataError(f"{len(differ):,} series have rows of different times (series {label[differ[0]]})")
    return of_series


def _time_order(code: Counts, time: Times) -> Counts:
    """Rows by the time of their series, then as the series first appear."""
    rank = np.empty(len(time), np.int64)
    rank[np.argsort(time, kind="stable")] = np.arange(len(time))
    return np.argsort(rank[code], kind="stable")


def _finish(score: Floats, columns: Mapping[str, Floats]) -> Floats:
    """Numbers in finishing order: by score, then more games won, then fewer lost (the Skat federations' rule)."""
    ones = np.zeros(len(score))
    keys = np.column_stack((-score, -columns.get("won", ones), columns.get("lost", ones)))
    _, rank = np.unique(keys, axis=0, return_inverse=True)
    return rank.ravel().astype(np.float64)
