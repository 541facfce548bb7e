"""The report: one self-contained HTML page for measured games, without network and without JavaScript."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from ludometer.measurement.benchmarks.published import describe_place
from ludometer.measurement.comparison import compare_games
from ludometer.measurement.measurement import Measurement
from ludometer.report.certainty import how_sure
from ludometer.report.comparison import side_by_side, summarise
from ludometer.report.files import replacing
from ludometer.report.frame import frame_page
from ludometer.report.method import method
from ludometer.report.parts import (
    Game,
    between,
    count,
    figure_of,
    number,
    paragraphs,
    percent,
)
from ludometer.report.sections import data, other, players, prediction

if TYPE_CHECKING:
    from ludometer.measurement import Comparison
    from ludometer.measurement.benchmarks.inversion import Share


def write_page(
    games: Sequence[Game], path: Path, *, command: str, remarks: Mapping[str, Sequence[str]] | None = None
) -> None:
    """Write the report of one or several games; see `render_page`."""
    with replacing(path) as draft:
        # names of files may hold bytes that are no text
        draft.write_text(render_page(games, command=command, remarks=remarks), encoding="utf-8", errors="replace")


@dataclass(frozen=True)
class Additions:
    """What a page of several games shows beside them: HTML, its text escaped already."""

    answer: str = ""
    """Below the sentences of the answer."""
    before: str = ""
    """Before the games stand side by side."""
    after: str = ""
    """After that."""
    games: Mapping[str, str] = field(default_factory=dict)
    """Where each game is unfolded."""


def render_page(
    games: Sequence[Game],
    *,
    command: str,
    remarks: Mapping[str, Sequence[str]] | None = None,
    additions: Additions | None = None,
) -> str:
    """The report as HTML text; `remarks` are what was said when the file of each game was read."""
    compared, more, read = compare_games(games), additions or Additions(), remarks or {}
    games = compared.games
    title = f"{games[0][0]}: how much skill?" if len(games) == 1 else f"{len(games)} games: how much skill?"
    body = [f"<h1>{escape(title)}</h1>"]
    if len(games) == 1:
        name, game = games[0]
        body += [f'<section class="answer">{_answer(name, game)}</section>', _sections(game, read.get(name, ()))]
    else:
        answer = f"{summarise(games)}{more.answer}{_scale(compared)}"
        body += [f'<section class="answer">{answer}</section>', more.before, side_by_side(compared), more.after]
        body += [
            f"<details><summary>{escape(name)}</summary>{more.games.get(name, '')}{_folded(name, game)}"
            f"{_sections(game, read.get(name, ()))}</details>"
            for name, game in games
        ]
    body.append(method(games, command))
    return frame_page(title, "".join(body))


def _answer(name: str, game: Measurement) -> str:
    if game.main.sd is None:
        return _lead(name, game)
    return _lead(name, game) + _wider(game) + _scale(game) + _yardsticks(game) + _three_numbers(game)


def _folded(name: str, game: Measurement) -> str:
    """The answer without its pictures, which all games share."""
    return _lead(name, game) + _wider(game) + (_three_numbers(game) if game.main.sd is not None else "")


def _lead(name: str, game: Measurement) -> str:
    """The verdict, and what it is said of."""
    main = game.main
    who = f"{name}, as played by these {main.n:,} players with {main.min_matches} matches or more"
    if main.sd is None or main.p_sd is None:
        few = f"only {main.n} {'player has' if main.n == 1 else 'players have'} {main.min_matches} matches or more"
        said = f"These data cannot tell: {few}." if game.verdict is None else game.verdict.statement
        return f'<p class="lead">{escape(said)}</p>' + paragraphs(f"This is said of {name} as recorded here.")
    if main.rep is None:
        plain = f"In {who}, skill does not show: the ratings do not spread."
    else:
        plain = (
            f"This is said of {who}: others, or the same players at another time, may show more or less. Among them, a "
            f"player who is one standard deviation better scores {percent(main.p_sd)}; the game stands "
            f"{describe_place(main.sd)}."
        )
    if game.verdict is None:
        return f'<p class="lead">{escape(_unjudged(who, game))}</p>' + paragraphs(
            "There is no verdict: nothing was simulated (--quick)."
        )
    return f'<p class="lead">{escape(game.verdict.statement)}</p>' + paragraphs(*_readings(game), plain)


def _wider(game: Measurement) -> str:
    """A caution where the ratings are not on Elo's scale."""
    if game.base != "e" or game.main.sd is None:
        return ""
    return paragraphs(
        f"Ratings are on the printed scale (base e), {game.scale_factor:.1f} times as wide as Elo's: on Elo's scale the "
        f"SD is {game.main.sd / game.scale_factor:.1f}. What a player one SD better scores, and the published games of "
        "two players, are meant for Elo's scale. The shares do not depend on it."
    )


def _unjudged(who: str, game: Measurement) -> str:
    main = game.main
    assert main.sd is not None
    if main.rep is None:
        return f"In {who}, skill does not show: the ratings do not spread."
    return (
        f"In {who}, a player who is one standard deviation better scores {percent(main.p_sd)}. The game stands "
        f"{describe_place(main.sd)}."
    )


def _readings(game: Measurement) -> list[str]:
    """The shares in plain words."""
    found = game.shares
    if found is None:
        return []
    strength, kept, name = *found, game.reference_name
    first = (
        f"the ratings spread as if strength alone decided {strength} of the matches and coins the others"
        if math.isfinite(strength.x)
        else "the ratings spread more than if strength alone decided every match"
    )
    second = (
        f"as if {kept} of the results were those of {name} players and coins decided the others"
        if math.isfinite(kept.x)
        else f"more than those of {name} players would"
    )
    return [f"On their own schedule {first}; beside {name}, {second}."]


def _scale(result: Measurement | Comparison) -> str:
    games = [result] if isinstance(result, Measurement) else [game for _, game in result.games]
    bars = ", bars: 95% intervals" if any(game.main.sd_interval for game in games) else ""
    own = "diamond: this record" if len(games) == 1 else "diamonds: the games measured here"
    return figure_of(
        result,
        "scale",
        "The wider the ratings of the players spread, the more skill decides. Ticks: games as published by Duersch, "
        f"Lambrecht and Oechssler (2020); {own}{bars}. The scale is stretched near the coin flip.",
    )


def _yardsticks(game: Measurement) -> str:
    """The picture that the verdict rests on."""
    found = game.shares
    if found is None or game.yardstick is None:
        return ""
    caption = (
        "The two yardsticks that the verdict rests on: benchmark games simulated on this schedule. Each bar is an "
        f"interval of {game.yardstick.confidence}%; if it lies right of the line, skill predominates by "
        f"that yardstick, if left, chance. {_beyond(found)}"
    )
    return figure_of(game, "yardsticks", caption.strip())


def _beyond(found: Sequence[Share]) -> str:
    if all(math.isfinite(share.high) for share in found):
        return ""
    return "An arrow: the record spreads, or may spread, more than the whole benchmark does."


def _three_numbers(game: Measurement) -> str:
    main = game.main
    opponent = "" if game.data.is_two_player else ", against one opponent"
    needed = "" if main.rep_interval is None else _games_between(*main.rep_interval)
    cells = (
        (
            number(main.sd),
            between(main.sd_interval),
            "SD of ratings",
            "how far the players' ratings spread, in Elo points; a coin flip has 0",
        ),
        (
            percent(main.p_sd),
            between(main.p_sd_interval, percent),
            "one SD better",
            f"what a clearly better player is expected to score{opponent}; 50% is a coin flip",
        ),
        (
            count(main.rep),
            needed,
            "game needed" if main.rep == 1 else "games needed",
            "until the better player wins most of them with more than 75% probability",
        ),
    )
    boxes = (
        f"<div><b>{value}</b>{interval and f'<i>{interval}</i>'}<span>{label}</span><small>{reading}</small></div>"
        for value, interval, label, reading in cells
    )
    return f'<div class="numbers">{"".join(boxes)}</div>'


def _games_between(fewest: int | None, most: int | None) -> str:
    if fewest is None:
        return "[no number is enough]"
    return f"[{fewest:,} to {'no number is enough' if most is None else count(most)}]"


def _sections(game: Measurement, remarks: Sequence[str]) -> str:
    if game.main.sd is None:
        return data(game, remarks)
    return how_sure(game) + players(game) + prediction(game) + other(game) + data(game, remarks)
