"""The report: one self-contained HTML page for measured games, without network and without JavaScript."""

from __future__ import annotations

import base64
import platform
from html import escape
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ludometer.luck.reference import reference_games
from ludometer.luck.words import describe_place
from ludometer.report import charts
from ludometer.report.files import replacing
from ludometer.version import __version__

if TYPE_CHECKING:
    from collections.abc import Sequence

    import polars as pl

    from ludometer.luck import Measurement

Game = tuple[str, "Measurement"]

_STYLE = (Path(__file__).parent / "page.css").read_text(encoding="utf-8")
_TOP = 25


def write_page(games: Sequence[Game], path: Path, *, command: str) -> None:
    """Write the report of one or several games."""
    with replacing(path) as draft:
        draft.write_text(render_page(games, command=command), encoding="utf-8")


def render_page(games: Sequence[Game], *, command: str) -> str:
    """The report as HTML text."""
    games = sorted(games, key=lambda game: -(game[1].main.sd if game[1].main.sd is not None else -1.0))
    title = f"{games[0][0]}: how much skill?" if len(games) == 1 else f"{len(games)} games: how much skill?"
    body = [f"<h1>{escape(title)}</h1>", _answer(games)]
    if len(games) > 1:
        body.append(_comparison(games))
        body += [f"<details><summary>{escape(name)}</summary>{_sections(name, game)}</details>" for name, game in games]
    else:
        body.append(_sections(*games[0]))
    body.append(_method(games, command))
    page = charts.separate_ids("".join(body))
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{_STYLE}</style></head>\n<body><main>{page}</main></body></html>\n"
    )


def _answer(games: Sequence[Game]) -> str:
    parts = ['<section class="answer">']
    if len(games) == 1:
        parts.append(f"<p class=lead>{escape(_sentence(*games[0]))}</p>")
    else:
        parts.append(f"<p class=lead>{_extremes(games)}</p>")
    if any(game.main.sd is not None for _, game in games):
        wide = charts.to_svg(charts.scale_chart(list(games), upright=False))
        narrow = charts.to_svg(charts.scale_chart(list(games), upright=True))
        parts.append(
            f'<figure><div class="wide">{wide}</div><div class="narrow">{narrow}</div><figcaption>The wider the ratings '
            "of the players spread, the more skill decides. Ticks: games as published by Duersch, Lambrecht and Oechssler "
            "(2020); diamond: this record. The scale is stretched near the coin flip.</figcaption></figure>"
        )
    if len(games) == 1 and games[0][1].main.sd is not None:
        parts.append(_three_numbers(games[0][1]))
    return "".join([*parts, "</section>"])


def _extremes(games: Sequence[Game]) -> str:
    told = [f"<b>{escape(name)}</b> (SD {_number(game.main.sd)})" for name, game in games if game.main.sd is not None]
    untold = len(games) - len(told)
    rest = f" Of {untold} game{'s' * (untold > 1)} these data cannot tell." if untold else ""
    if not told:
        return "These data cannot tell: in no game do two players have enough matches."
    if len(told) == 1:
        return f"Only {told[0]} can be measured.{rest}"
    return f"Most skill shows in {told[0]}, least in {told[-1]}.{rest}"


def _sentence(name: str, game: Measurement) -> str:
    main = game.main
    if main.sd is None or main.p_sd is None:
        return f"{name}: these data cannot tell: only {main.n} players have {main.min_matches} matches or more."
    if main.rep is None:
        return f"In {name}, as played by these players, skill does not show: the ratings do not spread."
    return (
        f"In {name}, as played by these {main.n:,} regular players, a player who is one standard deviation better "
        f"scores {main.p_sd:.1%}. The game stands {describe_place(main.sd)}."
    )


def _three_numbers(game: Measurement) -> str:
    main = game.main
    games = "-" if main.rep is None else f"{main.rep:,}"
    cells = (
        (_number(main.sd), "SD of ratings", "how far the players' ratings spread, in Elo points; a coin flip has 0"),
        (
            _percent(main.p_sd),
            "one SD better",
            "what a clearly better player is expected to score; 50 % is a coin flip",
        ),
        (games, "games needed", "until the better player wins most of them with more than 75 % probability"),
    )
    boxes = (
        f"<div><b>{value}</b><span>{label}</span><small>{reading}</small></div>" for value, label, reading in cells
    )
    return f'<div class="numbers">{"".join(boxes)}</div>'


def _comparison(games: Sequence[Game]) -> str:
    rows = [
        [
            name,
            _number(game.main.sd),
            _percent(game.main.p_sd),
            _percent(game.main.p_1_99),
            "-" if game.main.rep is None else f"{game.main.rep:,}",
            f"{game.n_matches:,}",
            f"{game.main.n:,}",
        ]
        for name, game in games
    ]
    headers = [
        "Game",
        "SD of ratings",
        "One SD better scores",
        "Best 1 % against worst 1 %",
        "Games needed",
        "Matches",
        "Regulars",
    ]
    return f"<section><h2>The games side by side</h2>{_table(headers, rows)}</section>"


def _sections(name: str, game: Measurement) -> str:
    if game.main.sd is None:
        return f"<section><p>{escape(_sentence(name, game))}</p></section>"
    return _how_sure(game) + _players(game) + _prediction(game) + _other(game) + _data(game)


def _how_sure(game: Measurement) -> str:
    headers = ["Players with at least", "Players", "SD of ratings", "Lowest", "1 % quantile", "99 % quantile"]
    headers += ["Highest", "One SD better scores", "Games needed"]
    rows = [
        [
            f"{spread.min_matches} match{'es' * (spread.min_matches > 1)}",
            f"{spread.n:,}",
            *(_number(value) for value in (spread.sd, spread.min, spread.q01, spread.q99, spread.max)),
            _percent(spread.p_sd),
            "-" if spread.rep is None else f"{spread.rep:,}",
        ]
        for spread in game.spread
    ]
    caption = (
        "The SD for every number of matches that a player must have to be counted. Players with few matches are still near "
        "their start value, so the SD rises at first; the dot is the cutoff used above."
    )
    return (
        f"<section><h2>Does it depend on who counts?</h2>{_figure(charts.cutoff_chart(game), caption)}"
        f"{_table(headers, rows)}<p>This version gives no intervals and no verdict: a verdict has to rest on benchmarks "
        "matched to the schedule. The published lines depend on how many matches a record holds.</p></section>"
    )


def _players(game: Measurement) -> str:
    frame = _rating_frame(game)
    rows = [
        [f"{n}", row["player"], f"{row['rating']:.0f}", f"{row['matches']:,}"]
        for n, row in enumerate(frame.head(_TOP).iter_rows(named=True), 1)
    ]
    caption = (
        f"Ratings of the {game.main.n:,} players with at least {game.main.min_matches} matches. "
        "A game of chance would be a narrow peak at 0."
    )
    top = _table(["", "Player", "Rating", "Matches"], rows, left=(1,))
    return (
        f"<section><h2>The players</h2>{_figure(charts.rating_histogram(game), caption)}<h3>The highest ratings</h3>{top}"
        f"{_download(frame.head(10_000), 'ratings.csv', 'Ratings as a table')}</section>"
    )


def _prediction(game: Measurement) -> str:
    score, fit = game.forecasts, game.best_fit
    table = _table(
        ["", "Log loss", "Brier score", "Favourite won"],
        [
            ["best-fit Elo", f"{score.log_loss:.4f}", f"{score.brier:.4f}", f"{score.accuracy:.1%}"],
            ["coin flip", f"{np.log(2):.4f}", f"{fit.loss_at_zero / 2:.4f}", "50.0%"],
        ],
    )
    true = "Every match was forecast from the ratings before it. On the dashed line forecasts come true; bars are 95 % intervals."
    best = (
        f"The step k decides how fast ratings move. The best one, {fit.k:.3g}, is where forecasts miss least; at k = 0 all "
        "forecasts are a coin flip. It was chosen on the same matches."
    )
    return (
        f"<section><h2>Does it predict?</h2>{_figure(charts.calibration_chart(game), true)}{table}"
        f"{_figure(charts.loss_chart(game), best)}</section>"
    )


def _other(game: Measurement) -> str:
    past, random = game.persistence, game.ratio_if_random
    persistence = (
        "Past success could not be related to later results: too few regulars, or results that do not vary."
        if past.slope is None
        else f"Of a regular player's lead in his average so far, {past.slope:.3f} goes on into the next match (standard "
        f"error {past.std_error:.3f}, clustered by player; {past.observations:,} observations). In a game of chance it "
        "would be 0."
    )
    comparison = "" if random is None else f"; with the same activity but random opponents it would be {random:.2f}"
    met = (
        f"Players who met were {game.mean_rating_difference:.0f} points apart on average, "
        f"{_number(game.ratio_to_sd, 2)} SDs{comparison}."
    )
    deterministic, chess = game.published
    skill = "more than 50 %" if deterministic is None else f"{deterministic:.0f} %"
    kept = "all" if chess is None else f"{chess:.0f} %"
    lines = (
        f"Read off the published lines, the spread is that of a game in which the better player wins {skill} of the matches "
        f"outright and a coin decides the others, or of chess with {kept} of the results kept and the others replaced by coins."
    )
    return f"<section><h2>Other measures</h2><p>{persistence}</p><p>{met}</p><p>{lines}</p></section>"


def _data(game: Measurement) -> str:
    dropped = (
        f"{game.dropped_matches:,} matches of {game.dropped_players:,} players were left out because no chain of matches "
        "links these players to the others."
        if game.dropped_matches
        else "Nothing was left out: all players are linked by matches."
    )
    draws = f"{game.draw_rate:.1%} of the matches were drawn. " if game.draw_rate else "There were no draws. "
    sweep = _sweep_frame(game)
    return (
        f"<section><h2>The data</h2><p>{game.n_matches:,} matches of {game.n_players:,} players, of whom "
        f"{game.n_regulars:,} are regulars with 25 matches or more. {draws}{dropped} "
        f"Fingerprint of the matches: <code>{escape(str(game.provenance.data))}</code>.</p>"
        + _download(sweep, "sd-by-cutoff.csv", "SD for every cutoff")
        + _download(game.to_frame(), "spread.csv", "Spread")
        + "</section>"
    )


_FORMULA = (
    "<p>Ratings start at 0. In a match the first player is expected to score E = 1 / (1 + 10<sup>-(R₁ - R₂)/400</sup>); "
    "afterwards his rating moves by k (S - E) and his opponent's by the opposite. k is the value at which the mean of the "
    "squared misses of both players, over all matches in order of time, is least. The measure of skill is the standard "
    "deviation of the ratings of those who played at least 25 matches.</p>"
)
_SOURCE = (
    "<p>Source: Duersch, Lambrecht, Oechssler: Measuring skill and chance in games, European Economic Review 127 (2020). "
    "The best k is searched with more care than printed there (same result to three digits). Two rows of its tables "
    "(Crazy 8s with three players) give numbers of games that do not follow from the SD beside them: 10,381 instead of "
    "12,637, and 112,075 instead of 56,868.</p>"
)


def _method(games: Sequence[Game], command: str) -> str:
    reference = _table(
        ["Published game", "SD of ratings", "One SD better scores", "Games needed"],
        [[game.game, f"{game.sd:g}", f"{game.p_sd:.1%}", f"{game.rep:,}"] for game in reference_games()],
    )
    versions = ", ".join(f"{name} {version(name)}" for name in ("numpy", "polars", "numba", "altair"))
    seed = games[0][1].provenance.seed
    return (
        f"<section><h2>How it was done</h2>{_FORMULA}{_SOURCE}"
        f"<details><summary>The published games</summary>{reference}</details>"
        f"<p>Repeat with:</p><pre>{escape(command)}</pre>"
        f"<p>ludometer {__version__}, Python {platform.python_version()}, {versions}. "
        f"{'Nothing was simulated' if seed is None else f'Seed: {seed}'}.</p></section>"
    )


def _rating_frame(game: Measurement) -> pl.DataFrame:
    import polars as pl

    frame = pl.DataFrame({"player": game.players.names, "rating": game.best_fit.rating, "matches": game.played})
    return frame.filter(pl.col("matches") >= game.main.min_matches).sort("rating", "player", descending=[True, False])


def _sweep_frame(game: Measurement) -> pl.DataFrame:
    import polars as pl

    return pl.DataFrame(
        {"min_matches": game.cutoffs, "players": game.n_by_cutoff, "sd": game.sd_by_cutoff}
    ).with_columns(pl.col("sd").fill_nan(None))


def _figure(chart: object, caption: str) -> str:
    return f"<figure>{charts.to_svg(chart)}<figcaption>{escape(caption)}</figcaption></figure>"


def _table(headers: Sequence[str], rows: Sequence[Sequence[str]], *, left: Sequence[int] = (0,)) -> str:
    def line(tag: str, cells: Sequence[str]) -> str:
        sides = (' class="left"' if column in left else "" for column in range(len(cells)))
        return (
            "<tr>"
            + "".join(f"<{tag}{side}>{escape(cell)}</{tag}>" for side, cell in zip(sides, cells, strict=True))
            + "</tr>"
        )

    body = "".join(line("td", row) for row in rows)
    return f'<div class="scroll"><table><thead>{line("th", headers)}</thead><tbody>{body}</tbody></table></div>'


def _download(frame: pl.DataFrame, name: str, label: str) -> str:
    data = base64.b64encode(frame.write_csv().encode()).decode()
    return f'<p class="download"><a download="{name}" href="data:text/csv;base64,{data}">{escape(label)} (CSV)</a></p>'


def _number(value: float | None, digits: int = 1) -> str:
    return "-" if value is None else f"{value:,.{digits}f}"


def _percent(value: float | None) -> str:
    return "-" if value is None else f"{value:.1%}"
