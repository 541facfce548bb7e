"""The court's copy: a measurement on paper, with everything that the other side may ask about."""

from __future__ import annotations

import platform
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import version
from typing import TYPE_CHECKING

from ludometer.report.legal import LegalView
from ludometer.report.page import GameView
from ludometer.report.pdf import Block, Chart, Heading, Paper, Table, Text
from ludometer.report.templates import NOTHING, count, interval, number, percent, sentence

if TYPE_CHECKING:
    from ludometer.measurement import Measurement

_PACKAGES = ("numpy", "polars", "numba", "altair")

REFERENCES = (
    "Duersch, Lambrecht, Oechssler: Measuring skill and chance in games, European Economic Review 127 (2020) "
    "(best-fit Elo, the spread of ratings, benchmarks of known skill).",
    "Elo: The rating of chessplayers, past and present (1978).",
    "Gilbert, Wells: Ludometrics: luck, and how to measure it (L and ℓ²).",
)


@dataclass(frozen=True)
class Case:
    """What the front page says beside the answer."""

    author: str = ""
    name: str = ""
    files: tuple[tuple[str, str], ...] = ()
    """Names of the files that were read, and their SHA-256."""
    command: str = ""
    """How to repeat it, without where results were written to."""


def compose_court_copy(name: str, game: Measurement, case: Case, *, remarks: Sequence[str] = ()) -> Paper:
    """The paper: answer, record, yardsticks, checks, tests from the literature, objections, words, sources."""
    view, legal = GameView(name, game, tuple(remarks)), LegalView(game)
    blocks = [
        *_answer(view, legal),
        *_record(view),
        *_yardsticks(game),
        *_checks(view),
        *_tests(legal),
        *_objections(legal),
        *_glossary(legal),
        *_method(game, case),
    ]
    return Paper(
        title=f"{name}: how much skill, how much chance?",
        blocks=blocks,
        author=case.author,
        subject=case.name,
        footer=" · ".join(part for part in (case.name, name) if part),
        front=_front(game, case),
    )


def _front(game: Measurement, case: Case) -> list[tuple[str, str]]:
    rows = [("Case", case.name or NOTHING), ("Author", case.author or NOTHING)]
    for name, digest in case.files:
        rows.append(("File", name))
        rows.append(("SHA-256", digest))
    seed = NOTHING if game.provenance.seed is None else str(game.provenance.seed)
    return [*rows, ("Made with", f"ludometer {game.provenance.version}, random seed {seed}")]


def _answer(view: GameView, legal: LegalView) -> list[Block]:
    game = view.game
    blocks: list[Block] = [Heading("The answer")]
    if game.edge is not None:
        blocks.append(Text(game.edge.sentence(), size=11))
    blocks += [Text(question.answer, bold=f"{question.name}: {question.asks}") for question in legal.questions]
    if game.verdict is not None:
        blocks += [Text(sentence(reason), bullet=True) for reason in game.verdict.reasons]
    blocks.append(
        Text(
            f"The answer is about {view.name} as played by these {game.main.n:,} players with "
            f"{game.main.min_matches} matches or more. Other players, or the same players at another time, may show "
            "more or less skill."
        )
    )
    charts = game.charts()
    if "yardsticks" in charts:
        caption = (
            "The verdict rests on these two yardsticks: benchmark games simulated on this schedule. If a bar lies to "
            "the right of the line of 50%, skill predominates by that yardstick; if to the left, chance."
        )
        blocks.append(Chart(charts["yardsticks"], caption))
    if "scale" in charts and not game.record.sessions.dependent:
        # the published measure counts every match of a session, and would contradict the answer
        blocks.append(Chart(charts["scale"], "How far ratings spread, beside published games. Diamond: this record."))
    return blocks


def _record(view: GameView) -> list[Block]:
    game, data = view.game, view.game.data
    fewest, _, most = data.players_per_match
    rows = [
        ["Matches", count(data.n_matches)],
        ["Players", f"{data.n_players:,}, of whom {data.n_regulars:,} have 25 matches or more"],
        ["Players per match", str(most) if fewest == most else f"{fewest} to {most}"],
        ["Drawn, or first place shared", percent(data.draw_rate)],
        ["Left out, not linked with the others", f"{data.dropped_matches:,} matches, {data.dropped_players:,} players"],
        [
            "SD of ratings, match by match",
            f"{number(game.main.sd)} {interval(game.main.sd_interval)} Elo points".replace("  ", " "),
        ],
        ["Opponents differ by", f"{game.matchmaking.mean_rating_difference:.0f} Elo points on average"],
        ["Fingerprint of the matches", str(game.provenance.data)],
    ]
    noted = list(dict.fromkeys((*game.record.lines(), *(remark.strip() for remark in view.remarks))))
    return [
        Heading("The record"),
        Table((), rows, (0.35, 0.65), left=(0, 1)),
        *(Text(line, bullet=True) for line in noted),
    ]


def _yardsticks(game: Measurement) -> list[Block]:
    if game.shares is None or game.verdict is None or game.yardstick is None:
        return []
    name = game.reference_name
    rows = [
        [
            "Pure skill",
            str(game.shares[0]),
            number(game.verdict.p_deterministic, 3),
            "With probability x the better player wins, or all finish in order of strength; otherwise a coin, or a "
            "random order, decides.",
        ],
        [
            name[:1].upper() + name[1:],
            str(game.shares[1]),
            number(game.verdict.p_chess, 3),
            f"Players whose skills spread as in {name}; each result is kept with probability x and otherwise replaced "
            "by a coin.",
        ],
    ]
    return [
        Heading("The yardsticks"),
        Text(
            "How much spread is large depends on how many matches there are and who met whom. So the record is "
            "compared with benchmark games on its own schedule: the same players and pairings in the same order, with "
            f"only the results replaced. Brackets are {game.yardstick.confidence}% intervals from "
            f"{game.yardstick.replicates} simulated games each; p is how often a game of exactly 50% would look like "
            "this or more extreme."
        ),
        Table(["Compared with", "x", "p at 50%", "What x means"], rows, (0.16, 0.2, 0.12, 0.52), left=(0, 1, 3)),
    ]


def _checks(view: GameView) -> list[Block]:
    headers = ["Changed", *view.check_headers]
    blocks: list[Block] = []
    widths = (0.3, 0.1, 0.09, 0.09, 0.16, 0.16, 0.1)
    for title, table in (
        ("Choices of the analysis", view.multiverse),
        ("Parts of the record", view.parts),
        ("Units of play (a model)", view.units),
    ):
        if table.n_checks:
            rows = [row[: len(headers)] for row in table.rows]
            blocks += [Heading(title, 2), Table(headers, rows, widths, left=(0, 6), size=7.5)]
    if not blocks:
        return []
    text = (
        "One analysis is primary: its choices are fixed before any result is seen"
        f"{_hash(view.game)}. Checks change one choice each. They use less data, so “cannot tell” is common among them."
    )
    return [Heading("The checks"), Text(text), *blocks]


def _hash(game: Measurement) -> str:
    return "" if game.verdict is None else f" (hash {game.verdict.primary})"


def _tests(legal: LegalView) -> list[Block]:
    if not legal.tests:
        return []
    blocks: list[Block] = [
        Heading("Tests that courts and regulators have used"),
        Text(f"{legal.introduction} {' '.join(legal.remarks)}"),
        Table(["Test", "Figure"], [row[:2] for row in legal.table], (0.4, 0.6), left=(0, 1)),
    ]
    for test in legal.tests:
        told = test.literature
        blocks += [
            Heading(f"{test.test[:1].upper()}{test.test[1:]}: {test.in_words}", 2),
            Text(told.question, size=9),
            Text(sentence(test.says.rstrip(".")), bold="This record:", size=9),
            Text(told.shows, bold="It can show:", size=9),
            Text(told.does_not_show, bold="It cannot show:", size=9),
            Text(told.source, bold="Source:", size=9),
            Text(told.argued, bold="Where it was argued:", size=9),
        ]
    return blocks


def _objections(legal: LegalView) -> list[Block]:
    if not legal.objections:
        return []
    told = [Text(entry.answer, bold=entry.objection, bullet=True) for entry in legal.objections]
    return [Heading("Likely objections, and what this record answers"), *told]


def _glossary(legal: LegalView) -> list[Block]:
    return [Heading("Words"), Table((), [list(row) for row in legal.glossary], (0.2, 0.8), left=(0, 1))]


def _method(game: Measurement, case: Case) -> list[Block]:
    packages = ", ".join(f"{name} {version(name)}" for name in _PACKAGES)
    fit = game.best_fit
    return [
        Heading("Method and sources"),
        Text(
            "Ratings start at 0. A player is expected to score E = 1 / (1 + 10^(-difference / 400)); after the match "
            "their rating moves by k (S - E), S being what they scored. k is the value whose forecasts miss least over "
            f"all matches in order of time; here {fit.k:.4g}, with a mean squared miss of {fit.loss:.4f} (all players "
            f"equal: {fit.loss_at_zero:.4f}). The measure of skill is the SD of the ratings of players with at least "
            f"{game.main.min_matches} matches."
        ),
        *(Text(reference, bullet=True) for reference in REFERENCES),
        Heading("How to repeat it", 2),
        Text(case.command),
        Text(
            f"ludometer {game.provenance.version}, Python {platform.python_version()}, {packages}. The same file, "
            "options and seed give the same report, to the last byte."
        ),
    ]
