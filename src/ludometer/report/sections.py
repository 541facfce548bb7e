"""What a report says of one game besides its answer: players, predictions, other measures, data."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING

from ludometer.report.luck import luck_section
from ludometer.report.parts import bullets, download, figure_of, number, paragraphs, table
from ludometer.wording import percent

if TYPE_CHECKING:
    from ludometer.measurement import Measurement

_TOP = 25


def players(game: Measurement) -> str:
    """How their ratings spread, and who leads."""
    frame = game.ratings_frame()
    rows = [
        [f"{n}", row["player"], f"{row['rating']:.0f}", f"{row['matches']:,}"]
        for n, row in enumerate(frame.head(_TOP).iter_rows(named=True), 1)
    ]
    caption = (
        f"Ratings of the {game.main.n:,} players with at least {game.main.min_matches} matches. "
        "A game of chance would be a narrow peak at 0."
    )
    top = table(["", "Player", "Rating", "Matches"], rows, left=(1,))
    return (
        f"<section><h2>The players</h2>{figure_of(game, 'ratings', caption)}"
        f"<h3>{'The highest ratings' if len(frame) > _TOP else f'The ratings of all {len(frame)}'}</h3>"
        + paragraphs(
            "By best-fit Elo, in which a newcomer has 0: ludometer rate FILE --system best-fit gives this list. "
            "Without --system it rates by Elo with k = 24, from 1500 on."
        )
        + f"{top}"
        f"{download(frame.head(10_000), 'ratings.csv', 'Ratings as a table')}</section>"
    )


def prediction(game: Measurement) -> str:
    """Whether forecasts come true, and how the step was chosen."""
    score, fit, ends = game.forecasts.elo, game.best_fit, game.best_fit.k_interval
    rival = "coin flip" if game.data.is_two_player else "all players equal"
    rows = [
        [name, f"{one.log_loss:.4f}", f"{one.brier:.4f}", percent(one.accuracy)]
        for name, one in (("best-fit Elo", score), (rival, game.forecasts.coin))
    ]
    true = (
        "Every match was forecast from the ratings before it. On the dashed line forecasts come true; bars are 95% "
        "intervals."
    )
    interval = "" if ends is None else f" (95% interval {ends[0]:.3g} to {ends[1]:.3g})"
    best = (
        f"The step k decides how fast ratings move. The best one, {fit.k:.3g}{interval}, is where forecasts miss "
        "least; at k = 0 all players are equal. It was chosen on the same matches."
    )
    return (
        f"<section><h2>Does it predict?</h2>{figure_of(game, 'calibration', true)}"
        f"{table(['', 'Log loss', 'Brier score', 'Favourite won'], rows)}"
        f"{figure_of(game, 'loss', best)}</section>"
    )


def other(game: Measurement) -> str:
    """Persistence, mean differences, the published lines."""
    past, random = game.persistence, game.matchmaking.ratio_if_random
    persistence = (
        "Past success could not be related to later results: too few regulars, or results that do not vary."
        if past.slope is None
        else f"Of a regular player's lead in his average so far, {past.slope:.3f} goes on into the next match "
        f"(standard error {number(past.std_error, 3)}, clustered by player; {past.observations:,} observations). In "
        "a game of chance it would be 0."
    )
    comparison = "" if random is None else f"; with the same activity but random opponents it would be {random:.2f}"
    met = (
        f"Players who met were {game.matchmaking.mean_rating_difference:.0f} points apart on average, "
        f"{number(game.matchmaking.ratio_to_sd, 2)} SDs{comparison}."
    )
    deterministic, chess = game.published
    skill = "more than 50%" if deterministic is None else f"{deterministic:.0f}%"
    kept = (
        "more than all of chess"
        if chess is None
        else f"chess with {chess:.0f}% of the results kept and coins for the rest"
    )
    lines = (
        f"Read off the published lines, the spread is that of a game in which the better player wins {skill} of the "
        f"matches outright and a coin decides the others, or of {kept}. "
        "These lines were drawn for records of other lengths; no verdict rests on them."
    )
    return f"<section><h2>Other measures</h2>{luck_section(game)}{_ratings_again(persistence, met, lines)}</section>"


def _ratings_again(*texts: str) -> str:
    return "<h3>Past and future, and the published lines</h3>" + paragraphs(*texts)


def data(game: Measurement, remarks: Sequence[str] = ()) -> str:
    """What was read, what was left out; `remarks` are what was said when the file was read."""
    dropped = (
        f"{game.data.dropped_matches:,} matches of {game.data.dropped_players:,} players were left out because no "
        "chain of matches links these players to the others."
        if game.data.dropped_matches
        else "All players are linked by matches."
    )
    fewest, mean, most = game.data.players_per_match
    several = most > 2
    seats = f"Matches had {fewest} to {most} players, {mean:.1f} on average. " if several else ""
    drawn = "matches had a tie for the first place. " if several else "matches were drawn. "
    without = "There were no ties for the first place. " if several else "There were no draws. "
    draws = f"{percent(game.data.draw_rate)} of the {drawn}" if game.data.draw_rate else without
    return (
        f"<section><h2>The data</h2><p>{game.data.n_matches:,} matches of {game.data.n_players:,} players, of whom "
        f"{game.data.n_regulars:,} are regulars with 25 matches or more. {seats}{draws}{dropped} "
        f"Fingerprint of the matches: <code>{escape(str(game.provenance.data))}</code>.</p>"
        + _as_read(remarks)
        + download(game.cutoffs.to_frame(), "sd-by-cutoff.csv", "SD for every cutoff")
        + download(game.to_frame(), "spread.csv", "Spread")
        + "</section>"
    )


def _as_read(remarks: Sequence[str]) -> str:
    if not remarks:
        return ""
    return paragraphs("What was understood of the file, and left out of it:") + bullets(
        [remark.strip() for remark in remarks]
    )
