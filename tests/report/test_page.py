"""The report: self-contained, well-formed, safe with any name, readable on a phone and on paper."""

from __future__ import annotations

import base64
import hashlib
import io
import json
import math
import re
import shutil
import subprocess
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from html import escape, unescape
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from ludometer.chart_style import separate_ids
from ludometer.matches import Matches
from ludometer.measurement import Measurement, compare_games, measure
from ludometer.measurement.benchmarks.inversion import Inversion
from ludometer.measurement.benchmarks.yardstick import Reference
from ludometer.measurement.record.pairing import Pairing
from ludometer.measurement.verdict.verdict import judge
from ludometer.players import Players
from ludometer.ratings.prizes import make_prizes
from ludometer.report.page import render_page
from ludometer.report.presenter import write_text
from ludometer.simulate import simulate_coin, simulate_strengths

SCRIPT = "<script>alert(1)</script>"
VOID = {"meta", "br", "hr", "img", "input", "link"}
EVENTS = re.compile(r"on[a-z]+$")


@cache
def skill() -> Measurement:
    return measure(simulate_strengths(80, 4_000, sd=180, draws=0.1, seed=1), replicates=19)


@cache
def weak() -> Measurement:
    """A game of little skill."""
    return measure(simulate_strengths(60, 3_000, sd=40, seed=5), replicates=19)


@cache
def coin() -> Measurement:
    return measure(simulate_coin(50, 3_000, seed=2), quick=True)


@cache
def flat() -> Measurement:
    """A coin whose best step is 0, so that no rating moves."""
    return measure(simulate_coin(40, 2_000, seed=0), replicates=19)


@cache
def even() -> Measurement:
    return measure(Matches.of_pairs([0] * 60, [1] * 60, [0.5] * 60))


@cache
def nobody() -> Measurement:
    """A game without regulars."""
    return measure(simulate_strengths(100, 400, seed=3))


@cache
def somebody() -> Measurement:
    """A game with one regular, who meets all others once."""
    others = np.arange(1, 41)
    return measure(Matches.of_pairs(np.zeros(40, int), others, others % 3 > 0))


@cache
def beyond() -> Measurement:
    """A game that spreads more than chess does."""
    return measure(simulate_strengths(60, 3_000, sd=450, seed=6), replicates=19)


@cache
def races(base: str = "10") -> Measurement:
    """A game of four, for the prizes of the winner."""
    rng = np.random.default_rng(7)
    players = np.concatenate([rng.choice(40, 4, replace=False) for _ in range(800)])
    clocks = np.linspace(-1, 1, 40)[players] + rng.gumbel(size=len(players))
    place = (-clocks.reshape(-1, 4)).argsort(axis=1).argsort(axis=1).ravel() + 1
    matches = Matches.of_seats(np.arange(0, len(players) + 1, 4), players, place)
    return measure(matches, replicates=19, prizes=make_prizes("winner"), base="e" if base == "e" else "10")


@cache
def paired() -> Measurement:
    """A game whose verdict is refused, since players faced only opponents of equal strength."""
    game = skill()
    assert game.matchmaking.pairing is not None
    return judged(with_pairing(game, replace(game.matchmaking.pairing, detected=True, correlation=0.93, p_value=0.0)))


@cache
def split() -> Measurement:
    """A game on either side of the line, by the one yardstick and by the other, without checks."""
    game = skill()
    assert game.yardstick is not None
    matched = replace(
        game.yardstick,
        deterministic=Inversion(np.linspace(38, 44, 19), 100.0),
        chess=Inversion(np.append(np.linspace(70, 99, 10), [math.inf] * 9), 100.0),
        reference=Reference(SCRIPT),
    )
    return judged(replace(game, yardstick=matched))


def with_pairing(game: Measurement, pairing: Pairing) -> Measurement:
    return replace(game, matchmaking=replace(game.matchmaking, pairing=pairing))


def judged(game: Measurement) -> Measurement:
    """With the verdict that follows from its parts, and no checks."""
    verdict = judge(
        game.yardstick,
        game.matchmaking.pairing,
        (),
        n_regulars=game.main.n,
        min_matches=game.main.min_matches,
        primary=game.provenance.parameters,
    )
    return replace(game, verdict=verdict)


@cache
def wicked() -> Measurement:
    """Players whose names would like to be code."""
    names = [SCRIPT, '"><img src=x onerror=alert(1)>', "&amp;", "'onclick='x", "</td></table>", 'id="c1-a', "=1+1"]
    pairs = simulate_strengths(len(names), 900, seed=4).pairs
    matches = Matches.of_pairs(pairs.first, pairs.second, pairs.halves, players=Players.named(names))
    return measure(matches, replicates=19)


GAMES: dict[str, list[tuple[str, Callable[[], Measurement]]]] = {
    "one": [("chess", skill)],
    "several": [("weak", weak), ("draws", even), ("chess", skill), ("paired", paired)],
    "quick": [("coin", coin)],
    "several quick": [("coin", coin), ("dice", coin)],
    "all draws": [("draws", even)],
    "flat": [("coin", flat)],
    "nobody": [("club", nobody)],
    "somebody": [("club", somebody)],
    "nobody and others": [("club", nobody), ("chess", skill), ("coin", coin)],
    "nobody and one": [("club", nobody), ("chess", skill)],
    "nobody at all": [("club", nobody), ("cup", nobody)],
    "beyond": [("go", beyond)],
    "races": [("races", races)],
    "races, base e": [("races", lambda: races("e"))],
    "refused": [("paired", paired)],
    "split": [("split", split)],
    "wicked": [(SCRIPT, wicked)],
    "wicked two": [(SCRIPT, wicked), ('"><img src=x onerror=alert(1)>', split)],
}
KINDS = list(GAMES)


def games(kind: str) -> list[tuple[str, Measurement]]:
    return [(name, game()) for name, game in GAMES[kind]]


@cache
def page(kind: str) -> str:
    return render_page(games(kind), command=f"ludometer measure '{SCRIPT}.csv' --html report.html")


class Reader(HTMLParser):
    """Collects what a page holds and insists on balanced tags."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.tags: Counter[str] = Counter()
        self.attributes: list[tuple[str, str, str]] = []
        self.words: list[str] = []
        self.feed(text)
        self.close()
        assert not self.open, f"not closed: {self.open}"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_startendtag(tag, attrs)
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags[tag] += 1
        self.attributes += [(tag, name, value or "") for name, value in attrs]

    def handle_endtag(self, tag: str) -> None:
        assert self.open, f"</{tag}> closes nothing"
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words.append(data)

    @property
    def text(self) -> str:
        return " ".join(self.words)


@pytest.mark.parametrize("kind", KINDS)
def test_a_page_needs_nothing_from_outside(kind: str) -> None:
    reader = Reader(page(kind))
    namespaces = {value for _, name, value in reader.attributes if name.startswith("xmlns")}
    assert set(re.findall(r"https?://[^\s\"'<>)]*", page(kind))) <= namespaces
    assert all(name.startswith("http://www.w3.org/") for name in namespaces)
    assert not reader.tags.keys() & {"script", "link", "iframe", "object", "embed", "img", "base", "form"}
    for tag, name, value in reader.attributes:
        assert not EVENTS.match(name), (tag, name)
        if name in {"href", "src", "xlink:href", "srcset", "action"}:
            assert value.startswith(("data:text/csv;base64,", "#")), (tag, name)
    style = re.findall(r"<style>(.*?)</style>", page(kind), re.S)
    assert len(style) == 1
    assert not re.search(r"@import|url\(", style[0])


@pytest.mark.parametrize("kind", KINDS)
def test_a_page_is_balanced_and_says_what_it_is(kind: str) -> None:
    reader = Reader(page(kind))
    assert page(kind).startswith("<!DOCTYPE html>")
    assert [reader.tags[tag] for tag in ("html", "head", "title", "body", "main", "h1")] == [1] * 6
    assert ("html", "lang", "en") in reader.attributes
    assert ("meta", "charset", "utf-8") in reader.attributes
    assert any(name == "content" and value.startswith("width=device-width") for _, name, value in reader.attributes)
    assert not re.search(r"\b(?:nan|NaN|None|inf)\b", reader.text)


@pytest.mark.parametrize("kind", KINDS)
def test_no_id_is_used_twice(kind: str) -> None:
    ids = Counter(value for _, name, value in Reader(page(kind)).attributes if name == "id")
    assert not [name for name, count in ids.items() if count > 1]


def test_ids_of_several_drawings_are_kept_apart_and_words_are_left_alone() -> None:
    drawing = '<svg><clipPath id="a"/><g clip-path="url(#a)"/><use xlink:href="#a"/><text> id="a" url(#a)</text></svg>'
    text = separate_ids(f"<p>{drawing}</p><p>{drawing}</p>")
    attributes = Reader(text).attributes
    assert [value for _, name, value in attributes if name == "id"] == ["c1-a", "c2-a"]
    assert [value for _, name, value in attributes if name == "clip-path"] == ["url(#c1-a)", "url(#c2-a)"]
    assert [value for _, name, value in attributes if name == "xlink:href"] == ["#c1-a", "#c2-a"]
    assert text.count(' id="a" url(#a)</text>') == 2


@pytest.mark.parametrize("kind", ["one", "several", "nobody"])
def test_the_same_games_give_the_same_bytes(kind: str) -> None:
    again = render_page(games(kind), command=f"ludometer measure '{SCRIPT}.csv' --html report.html")
    assert again == page(kind)


@pytest.mark.parametrize("kind", ["wicked", "wicked two"])
def test_names_are_shown_as_they_are_and_never_run(kind: str) -> None:
    reader = Reader(page(kind))
    assert "<script" not in page(kind)
    assert "<img" not in page(kind)
    for name in wicked().data.players.names:
        assert name in reader.text
    assert f"{SCRIPT}.csv" in reader.text
    assert SCRIPT in reader.text


def test_one_game_is_answered_in_a_sentence_with_its_numbers() -> None:
    reader = Reader(page("one"))
    game, main = skill(), skill().main
    assert game.verdict is not None
    assert main.sd is not None
    assert main.p_sd is not None
    assert main.sd_interval is not None
    lead = re.findall(r'<p class="lead">(.*?)</p>', page("one"))
    assert game.edge is not None
    assert lead == [escape(game.edge.sentence()), escape(game.verdict.statement)]
    assert f"chess, as played by these {main.n} players with 25 matches or more" in reader.text
    assert f"{main.sd:.1f}" in reader.text
    assert f"[{main.sd_interval[0]:.1f}, {main.sd_interval[1]:.1f}]" in reader.text
    better = game.one_better
    assert better is not None
    assert better.by == "skills"
    assert f"scores {100 * better.p:.1f}%" in reader.text
    assert f"by the published formula, from the ratings' SD, {100 * main.p_sd:.1f}%" in reader.text
    assert str(game.provenance.data) in reader.text
    for heading in ("How sure are we?", "The players", "Does it predict?", "Other measures", "The data"):
        assert f"<h2>{heading}</h2>" in page("one")
    # scale, yardsticks, checks by both, units, cutoffs, histogram, calibration, loss, posterior, path, skills: wide and
    # narrow
    assert reader.tags["svg"] == 24


def test_a_page_has_one_number_of_games_needed() -> None:
    better = skill().one_better
    assert better is not None
    assert better.rep is not None
    needed = re.findall(r"<b>([\d,]+)</b>(?:<i>[^<]*</i>)?<span>games? needed</span>", page("one"))
    assert needed == [f"{better.rep:,}"]
    # what other formulas give is called by their name
    assert "Decided games needed" not in page("one")
    assert not re.search(r"<th[^>]*>Games needed", page("one"))


def test_every_figure_has_a_form_for_narrow_screens_and_a_caption() -> None:
    figures = re.findall(r"<figure>(.*?)</figure>", page("one"), re.S)
    assert len(figures) == 12
    for figure in figures:
        assert figure.count("<svg") == 2
        assert [figure.count(f'<div class="{form}">') for form in ("wide", "narrow")] == [1, 1]
        assert re.search(r"<figcaption>[A-Z].+</figcaption>", figure)
        widths = [float(width) for width in re.findall(r"max-width:([\d.]+)px", figure)]
        assert widths[0] > widths[1]
        assert widths[1] <= 370


def rows_of(text: str, heading: str) -> list[list[str]]:
    """The table that follows a heading."""
    table = text.partition(f">{heading}</h")[2].partition("<tbody>")[2].partition("</tbody>")[0]
    return [[unescape(cell) for cell in re.findall(r"<td[^>]*>(.*?)</td>", row)] for row in table.split("</tr>")[:-1]]


def test_the_primary_analysis_heads_the_checks_and_its_hash_is_that_of_its_choices() -> None:
    game = skill()
    assert game.verdict is not None
    rows = rows_of(page("one"), "What if another choice had been made?")
    kinds = {"cutoff", "half", "activity", "draws", "prizes", "component"}
    checks = [check for check in game.verdict.checks if check.kind in kinds and check.answer]
    too_few = [check.name for check in game.verdict.checks if check.kind in kinds and not check.answer]
    assert f"Too few players for an answer: {'; '.join(too_few)}." in page("one") or not too_few
    assert [row[0] for row in rows] == ["primary analysis", *(check.name for check in checks)]
    assert rows[0][-1] == "primary"
    assert rows[0][6] == game.verdict.answer
    for row, check in zip(rows[1:], checks, strict=True):
        assert row[1:3] == [f"{check.matches:,}", f"{check.counted:,}"]
        assert row[6] == check.answer
        assert row[7] == {True: "yes", False: "no", None: "-"}[check.agrees]
    choices = json.dumps(game.provenance.parameters, sort_keys=True)
    assert hashlib.sha256(choices.encode()).hexdigest()[:16] == game.verdict.primary
    assert game.verdict.primary in page("one")
    for name, value in game.provenance.parameters.items():
        told = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
        assert value is None or f"{name.replace('_', ' ')} {told}" in page("one")


def test_shares_of_checks_carry_their_intervals() -> None:
    assert skill().verdict is not None
    checks = {check.name: check for check in skill().verdict.checks}  # type: ignore[union-attr]
    rows = {row[0]: row for row in rows_of(page("one"), "What if another choice had been made?")}
    check = checks["first half of the record"]
    assert check.x_deterministic is not None
    assert check.x_deterministic_interval is not None
    low, high = check.x_deterministic_interval
    assert rows[check.name][4] == f"{check.x_deterministic:.0f}% [{low:.0f}, {high:.0f}]"
    assert "the intervals of shares are 90% intervals, from 19 simulated games each" in page("one")


def test_parts_of_the_record_are_worded_as_this_game_played_by_these_players() -> None:
    assert "this game as played by these players at that time" in page("one")
    rows = rows_of(page("one"), "By experience and by period")
    assert [row[0] for row in rows[:3]] == ["all matches", "0 to 24 earlier matches", "25 to 99 earlier matches"]
    assert len(rows) == 7
    assert "Too few players for an answer: 100+ earlier matches." in page("one")


def test_units_of_play_begin_with_one_game_and_are_called_a_model() -> None:
    rows = rows_of(page("one"), "How many games make one unit?")
    assert [row[0] for row in rows] == ["1 game, as recorded", "3 games as one", "9 games as one", "35 games as one"]
    assert "are a model, not a record" in page("one")


def test_the_meaning_of_intervals_and_p_values_is_explained() -> None:
    text = Reader(page("one")).text
    assert "what the same players would show on average if they played the same schedule again" in text
    assert "by inversion" in text
    assert "A p-value is not the probability that skill, or chance, predominates" in text
    # 19 replicates leave 90% between their ends
    assert "Skill share and chess share (90%)" in text


def test_departures_from_the_paper_are_told() -> None:
    for kind in ("one", "races"):
        assert "Where this departs from the paper" in page(kind)
        assert "judges a game partly by the length of its records" in page(kind)
        assert "swaps x and 100 - x" in page(kind)


def test_a_quick_page_has_no_verdict_and_says_why() -> None:
    text = page("quick")
    assert "There is no verdict: nothing was simulated (--quick)." in text
    assert "Without --quick all of this is added." in text
    for word in ("What the intervals mean", "these two yardsticks", "[0.", "p-value"):
        assert word not in text
    assert "There are no verdicts: nothing was simulated (--quick)." in page("several quick")
    assert "The games are not ranked" in page("several quick")
    assert "most skill" not in page("several quick")


def test_more_than_the_whole_benchmark_is_an_arrow_and_no_number() -> None:
    game = beyond()
    assert game.yardstick is not None
    assert game.yardstick.chess.estimate == math.inf
    text = Reader(page("beyond")).text
    assert "Ratings spread more than those of chess players would" in text
    assert "&gt; 100%" in page("beyond")
    assert "An arrow means" in text


def test_an_answer_that_depends_shows_both_sides_and_an_open_interval() -> None:
    game = split()
    assert game.verdict is not None
    assert game.verdict.answer == "depends"
    text = Reader(page("split")).text
    assert game.verdict.statement in text
    assert "99% [70, > 100]" in text
    assert "nothing else was tried" in text
    assert SCRIPT in text


def test_a_refused_verdict_gives_its_reasons_and_draws_no_yardstick() -> None:
    game = paired()
    assert game.verdict is not None
    text = Reader(page("refused")).text
    assert game.verdict.statement in text
    assert "The verdict is refused for these reasons" in text
    assert "do not rely on them here" in text
    assert "The verdict rests on these two yardsticks" not in text
    assert "The verdict rests on these two yardsticks" in Reader(page("one")).text
    assert "Players faced almost only opponents of equal strength" in text


def test_matchmaking_is_told_in_plain_words() -> None:
    game = skill()
    assert game.matchmaking.pairing is not None
    found = replace(game.matchmaking.pairing, detected=True, correlation=0.42, p_value=0.0, follows=True)
    followed = render_page([("chess", with_pairing(game, found))], command="")
    assert "the strengths of opponents correlate at 0.42" in followed
    assert "This corrects most of the effect, not all" in followed
    other = render_page(
        [("chess", with_pairing(game, replace(found, correlation=0.0, p_value=0.3, follows=False)))], command=""
    )
    assert "strength does not follow these groups" in other
    assert "pairings look random, so no correction was needed" in page("one")


def test_multiplayer_matches_show_their_formula_and_their_prizes() -> None:
    text = page("races")
    assert "In a multiplayer match" in text
    assert "Prizes used: <b>winner</b>" in text
    assert "prizes: linear" in text
    assert "against one opponent" in text
    assert "How many games make one unit?" not in text
    assert "In a multiplayer match" not in page("one")


def test_base_e_is_called_wider_and_its_checks_are_on_the_same_scale() -> None:
    text = page("races, base e")
    assert "e<sup>R<sub>i</sub>/400</sup>" in text
    assert "this page was asked for the printed variant, base e" in text
    assert "2.3 times as wide as Elo" in text
    wide, plain = (rows_of(page(kind), "What if another choice had been made?") for kind in ("races, base e", "races"))
    for row, other in zip(wide, plain, strict=True):
        assert row[4] == other[4]
        if row[3] != "-":
            assert float(row[3]) == pytest.approx(math.log(10) * float(other[3]), abs=0.3)


def test_ratings_that_do_not_spread_have_a_page() -> None:
    assert flat().main.sd == 0
    assert "skill does not show: the ratings do not spread" in page("flat")


def test_one_regular_is_not_enough() -> None:
    text = Reader(page("somebody")).text
    assert "These data cannot tell: only 1 player" in text
    assert "40 matches of 41 players" in text
    assert Reader(page("somebody")).tags["svg"] == 0


def test_the_best_players_lead_the_list() -> None:
    best = int(np.argmax(skill().best_fit.rating))
    rows = re.findall(r"<tr><td>1</td><td class=\"left\">(.*?)</td><td>(.*?)</td>", page("one"))
    assert rows == [(str(skill().data.players.names[best]), f"{skill().best_fit.rating[best]:.0f}")]


def test_several_games_are_sorted_by_skill() -> None:
    text = page("several")
    summaries = re.findall(r"<summary>(.*?)</summary>", text)
    names = list(compare_games(games("several")).names)
    assert summaries == [*names, "The published games"]
    # what is refused, or has nothing to compare, is not ranked
    assert names == ["chess", "weak", "paired", "draws"]
    assert re.search(r"<b>chess</b> shows the most skill \(SD of skills [^)]*\), <b>weak</b> the least", text)
    assert "not ranked, because none can be trusted: paired, draws" in text
    assert [row[0] for row in rows_of(text, "The games side by side")] == names


def test_several_games_are_told_by_verdict_in_the_lead() -> None:
    lead = Reader(page("several").split("<figure>")[0] + "</section></main></body></html>").text
    assert "Chance predominates, by both yardsticks: weak." in lead
    assert "These data cannot tell: paired, draws." in lead


def test_a_matrix_says_how_sure_the_order_is_and_leaves_out_what_is_refused() -> None:
    text, found = page("several"), compare_games(games("several"))
    rows = {row[0].split(". ")[1]: row[1:] for row in rows_of(text, "How sure is the order?")}
    chess, weaker = (found.names.index(name) for name in ("chess", "weak"))
    assert found.more_skill[chess, weaker] > 0.99
    assert rows["chess"][weaker] == "> 99%"
    assert rows["weak"][chess] == "< 1%"
    assert set(rows) == {"chess", "weak"}
    assert rows["chess"][chess] == ""
    assert "not a posterior probability" in text


def test_games_with_nothing_to_compare_have_no_matrix() -> None:
    for kind in ("several quick", "nobody at all", "nobody and one"):
        assert "How sure is the order?" not in page(kind)


def test_a_game_that_cannot_be_told_is_not_called_the_least_skilful() -> None:
    assert "shows the most skill" not in page("nobody and others")
    assert "not ranked, because none can be trusted: " in page("nobody and others")
    assert "For 1 game these data cannot tell." in page("nobody and others")
    assert "Only <b>chess</b>" in page("nobody and one")
    assert "in no game do two players have enough matches" in page("nobody at all")
    assert "These data cannot tell: only 0 players have 25 matches or more" in page("nobody")


def downloads(text: str) -> dict[str, pl.DataFrame]:
    found = re.findall(r'download="([^"]+)" href="data:text/csv;base64,([^"]+)"', text)
    return {name: pl.read_csv(io.BytesIO(base64.b64decode(data))) for name, data in found}


def test_the_downloads_hold_the_tables() -> None:
    game, tables = skill(), downloads(page("one"))
    assert tables.keys() == {"ratings.csv", "sd-by-cutoff.csv", "spread.csv", "checks.csv", "skills.csv"}
    ratings = tables["ratings.csv"]
    assert ratings.columns == ["player", "rating", "matches"]
    expected = sorted(game.best_fit.rating[game.data.played >= 25], reverse=True)
    np.testing.assert_allclose(ratings["rating"].to_numpy(), expected)
    by_name = dict(zip(map(str, game.data.players.names), game.best_fit.rating, strict=True))
    for name, rating in ratings.select("player", "rating").iter_rows():
        assert by_name[str(name)] == pytest.approx(rating)
    sweep = tables["sd-by-cutoff.csv"]
    assert sweep["min_matches"].to_list() == list(range(1, 101))
    assert sweep["players"].to_list() == game.cutoffs.n.tolist()
    for sd, wanted in zip(sweep["sd"].to_list(), game.cutoffs.sd.tolist(), strict=True):
        assert (sd is None) == bool(np.isnan(wanted))
        assert sd is None or float(sd) == pytest.approx(wanted)
    assert tables["spread.csv"]["min_matches"].to_list() == [25, 1, 100]
    assert tables["spread.csv"]["sd"][0] == pytest.approx(game.main.sd)
    assert game.verdict is not None
    assert game.luck is not None
    assert game.luck.ridge is not None
    skills = tables["skills.csv"]
    np.testing.assert_allclose(skills["elo"].to_numpy(), sorted(game.luck.ridge.skills.elo, reverse=True))
    assert (skills["elo_error"] > 0).all()
    checks = tables["checks.csv"]
    assert checks["name"].to_list() == [check.name for check in game.verdict.checks]
    assert checks["x_deterministic"].to_list() == pytest.approx([c.x_deterministic for c in game.verdict.checks])


def test_downloads_keep_names_that_would_like_to_be_code() -> None:
    names = downloads(page("wicked"))["ratings.csv"]["player"].to_list()
    assert sorted(names) == sorted(wicked().data.players.names)


def test_a_page_is_written_whole(tmp_path: Path) -> None:
    write_text(render_page(games("one"), command="ludometer measure chess.csv"), tmp_path / "report.html")
    written = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert written == render_page(games("one"), command="ludometer measure chess.csv")
    assert [path.name for path in tmp_path.iterdir()] == ["report.html"]


def chromium(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    program = shutil.which("chromium")
    if program is None:
        pytest.skip("needs chromium; scripts/system-programs.sh installs it on Debian")
    flags = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]
    return subprocess.run(
        [program, *flags, f"--user-data-dir={folder / 'profile'}", *words],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )


@pytest.mark.parametrize("width", [360, 1100])
def test_a_page_is_no_wider_than_the_screen(tmp_path: Path, width: int) -> None:
    # a window of a browser may not get narrower than 500 px, a frame in it may: so the page is looked at in one
    path = tmp_path / "page.html"
    widths = "const root = document.documentElement; const widths = [root.scrollWidth, root.clientWidth, innerWidth]"
    measuring = f"<script>{widths}; parent.document.title = widths</script>"
    path.write_text(page("wicked two").replace("<details>", "<details open>") + measuring, encoding="utf-8")
    frame = tmp_path / "frame.html"
    style = f"width:{width}px; height:900px; border:0"
    frame.write_text(f'<!DOCTYPE html><title>?</title><iframe src="page.html" style="{style}"></iframe>')
    shown = chromium(
        tmp_path,
        "--allow-file-access-from-files",
        f"--window-size={max(width, 500) + 100},1000",
        "--dump-dom",
        frame.as_uri(),
    ).stdout
    content, visible, inner = map(int, re.findall(r"<title>(.*?)</title>", shown)[0].split(","))
    assert inner == width
    assert content <= visible


def test_a_page_prints(tmp_path: Path) -> None:
    path, paper = tmp_path / "page.html", tmp_path / "page.pdf"
    path.write_text(page("one"), encoding="utf-8")
    chromium(tmp_path, "--no-pdf-header-footer", f"--print-to-pdf={paper}", path.as_uri())
    assert paper.read_bytes().startswith(b"%PDF-")
    assert paper.stat().st_size > 10_000
