from __future__ import annotations

import json
import os
import stat
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ludometer.backgammon import play as backgammon_play
from ludometer.backgammon.analysis import (
    CHEQUER,
    DOUBLE,
    TAKE,
    AnalysedMatch,
    AnalysisCache,
    Evaluator,
    analyse_matches,
    read_analysis,
)
from ludometer.backgammon.balance import balance_match, follow_match
from ludometer.backgammon.gnubg import ANALYSE, Gnubg, GnubgFailure, find_gnubg, open_gnubg
from ludometer.backgammon.play import LADDER, GradedPlayer, PlayedMatches, draw_schedule, play_matches
from ludometer.backgammon.records import MatchRecord, read_match_records
from ludometer.backgammon.skill import MILLI, measure_backgammon
from ludometer.errors import LudometerError, MatchDataError
from ludometer.moves import expected_score, rating_difference
from ludometer.moves.uncertainty import Intervals
from ludometer.parallel import Workers
from tests.backgammon.backgammon_records import HAND_WRITTEN, analysis, made_up, move, needs_gnubg

FAST = Evaluator(plies=0, luck_plies=0)
STATISTICS = ANALYSE.replace(
    "    names = [about[seat]",
    '    import os\n    with open("statistics.json", "w") as stream:\n'
    "        json.dump(gnubg.match(0, 0, 1, 0), stream)\n    names = [about[seat]",
)


def record(text: str = HAND_WRITTEN, name: str = "hand.mat") -> MatchRecord:
    return MatchRecord(name, "mat", text.encode())


@pytest.fixture(scope="module")
def played() -> PlayedMatches:
    players = (GradedPlayer("clear"), GradedPlayer("noisy", noise=0.03))
    return play_matches(players, n_matches=2, length=3, seed=3, records="mat", workers=Workers(2))


@pytest.fixture(scope="module")
def analysed(played: PlayedMatches) -> list[AnalysedMatch]:
    records = [MatchRecord(name, "mat", data) for name, data in played.files.items()]
    return analyse_matches(records, evaluator=FAST, workers=Workers(2))


# what decisions and rolls mean


def test_decisions_and_rolls_are_told_apart() -> None:
    actions = [
        move(0, loss=0.05, luck=0.25),
        ["move", 1, 0.5, 0.5, 0.625, 2, 0.1, 0.1, -0.125],
        ["move", 0, 0.5, 0.75, 0.5, 1, 0.1, 0.1, 0.0],
        ["double", 1, 0.5, 0.75, 1.25],
        ["take", 0, 0.5],
        move(1, unit=1.0),
    ]
    match = made_up([actions], winners=[1])
    assert match.decisions.kind.tolist() == [CHEQUER, DOUBLE, CHEQUER, DOUBLE, TAKE]
    # a double not made that was right, a take that was wrong; the third one was not close, the moves after were forced
    assert match.decisions.loss.tolist() == pytest.approx([0.05, 0.125, 0.0, 0.0, 0.25])
    assert match.decisions.player.tolist() == [0, 1, 1, 1, 0]
    assert match.rolls.luck.tolist() == [0.25, -0.125, 0.0, 0.0]
    frame = match.to_frame()
    assert frame["kind"].to_list() == [
        "roll", "chequer", "double", "roll", "chequer", "roll", "double", "take", "roll",
    ]  # fmt: skip
    assert frame["loss"].sum() == pytest.approx(match.decisions.loss.sum())


def test_a_beaver_is_no_decision() -> None:
    actions = [move(0, loss=0.0), ["double", 1, 1.0, 0.5, 0.25], ["beaver", 0, 1.0, 0.1, 0.2], ["beaver", 1, 1.0]]
    match = made_up([actions], winners=[0], length=0)
    assert match.decisions.kind.tolist() == [CHEQUER, DOUBLE]


def test_skill_luck_and_what_is_left_open_add_up_to_the_result() -> None:
    games = [[move(0, loss=0.1, luck=0.3), move(1, loss=0.4, luck=0.1)]] * 3
    balance = balance_match(made_up(games, winners=[0, 0, 0]))
    assert balance.net_skill == pytest.approx(3 * 0.5 * 0.3)
    assert balance.net_luck == pytest.approx(3 * 0.5 * 0.2)
    assert balance.rest is not None
    assert balance.net_skill + balance.net_luck + balance.rest == balance.result == 0.5
    assert balance.luck_adjusted == pytest.approx(0.5 - balance.net_luck)
    assert balance.decided == "both"


@pytest.mark.parametrize(
    ("losses", "lucks", "decided", "words"),
    [
        ((0.1, 0.2), (0.0, 0.3), "skill", "Ann played better by 5.0%, Ben was luckier by 15.0% of the match; skill"),
        ((0.2, 0.1), (0.3, 0.0), "luck", "Ben played better by 5.0%, Ann was luckier by 15.0% of the match; luck"),
        ((0.1, 0.2), (0.3, 0.0), "both", "Ann played better by 5.0% and was luckier by 15.0% of the match; both"),
        ((0.2, 0.1), (0.0, 0.3), "neither", "Ben played better by 5.0% and was luckier by 15.0% of the match; Ann"),
        ((0.2, 0.2), (0.0, 0.0), "neither", "Both played equally well, the dice were even; Ann won"),
    ],
)
def test_a_sentence_says_what_decided(
    losses: tuple[float, float], lucks: tuple[float, float], decided: str, words: str
) -> None:
    game = [move(seat, loss=losses[seat], luck=lucks[seat]) for seat in (0, 1)]
    balance = balance_match(made_up([game], winners=[0], length=1))
    assert balance.decided == decided
    assert balance.sentence().startswith(words)


def test_money_is_counted_in_points_with_the_cube() -> None:
    game = [move(0, loss=0.1, luck=0.5, unit=4.0), move(1, loss=0.3, unit=4.0)]
    balance = balance_match(made_up([game], winners=[1], length=0))
    assert (balance.unit, balance.result) == ("points", -1.0)
    assert balance.net_skill == pytest.approx(0.8)
    assert balance.net_luck == pytest.approx(2.0)
    assert "0.80 and was luckier by 2.00 points" in balance.sentence()


def test_the_running_balance_of_a_match_ends_at_its_balance() -> None:
    games = [[move(k % 2, loss=0.01 * k, luck=(-1) ** k * 0.1 * k) for k in range(n)] for n in (5, 8, 3)]
    match = made_up([*games[:2], [*games[2], ["double", 1, 0.5, 0.5, 1.5], ["drop", 0, 0.5]]], winners=[0, 1, 1])
    running, balance = follow_match(match), balance_match(match)
    assert running.skill[-1] == pytest.approx(balance.net_skill)
    assert running.luck[-1] == pytest.approx(balance.net_luck)
    assert running.starts.tolist() == [0, 5, 13]


def test_players_are_compared_by_the_method_of_gains() -> None:
    rng = np.random.default_rng(5)
    losses = rng.exponential(0.02, size=(12, 2, 10)) * np.array([1.0, 2.0])[:, None] * (rng.random((12, 2, 10)) < 0.6)
    games = [[move(turn % 2, loss=float(game[turn % 2, turn // 2])) for turn in range(20)] for game in losses]
    found = measure_backgammon([made_up(games, winners=[0] * 12, length=15)], intervals=Intervals(seed=1))
    gains = [-np.rint(MILLI * losses[:, seat].ravel()).astype(int) for seat in (0, 1)]
    score = expected_score(*gains)
    row = found.pairs_frame().row(0, named=True)
    assert row["expected_score"] == pytest.approx(score)
    assert row["difference"] == pytest.approx(float(rating_difference(score)))
    assert row["low"] < row["difference"] < row["high"]
    assert found.skill.loss.tolist() == pytest.approx([losses[:, seat].mean() for seat in (0, 1)])
    assert found.skill.against_perfect.score.tolist() == pytest.approx(
        [expected_score(mine, np.zeros(1, int)) for mine in gains]
    )
    assert (found.skill.low < found.skill.loss).all()
    assert (found.skill.loss < found.skill.high).all()
    again = measure_backgammon([made_up(games, winners=[0] * 12, length=15)], intervals=Intervals(seed=1))
    assert again.skill.low.tolist() == found.skill.low.tolist()
    assert again.provenance == found.provenance


def test_intervals_of_error_rates_cover_the_truth() -> None:
    """Games differ in difficulty; with 12 of them a 90% interval should hold the true mean in about 90% of runs."""
    truth, held, runs = 0.02, 0, 200
    for seed in range(runs):
        rng = np.random.default_rng(seed)
        games = [
            [move(k % 2, loss=float(rng.exponential(hard))) for k in range(20)] for hard in rng.gamma(4, truth / 4, 12)
        ]
        found = measure_backgammon(
            [made_up(games, winners=[0] * 12, length=15)], intervals=Intervals(0.9, 200, seed=seed)
        )
        held += int(found.skill.low[0] <= truth <= found.skill.high[0])
    error = (0.9 * 0.1 / runs) ** 0.5
    assert abs(held / runs - 0.9) < 3 * error


def test_too_few_games_give_no_interval() -> None:
    found = measure_backgammon([made_up([[move(0, loss=0.1), move(1, loss=0.0)]] * 3, winners=[0] * 3)])
    assert np.isnan(found.skill.low).all()
    assert "too few games" in found.summary()


def test_decisions_can_be_chosen() -> None:
    game = [move(0, loss=0.1), move(1, loss=0.2), ["double", 0, 0.5, 0.75, 0.5], ["drop", 1, 0.5]]
    matches = [made_up([game] * 5, winners=[0] * 5)]
    chequer, cube = (measure_backgammon(matches, decisions=choice) for choice in ("chequer", "cube"))
    assert chequer.skill.loss.tolist() == pytest.approx([0.1, 0.2])
    assert cube.skill.loss.tolist() == pytest.approx([0.25, 0.5])
    assert len(chequer.gains) + len(cube.gains) == len(measure_backgammon(matches).gains)


def test_matches_analysed_in_different_ways_are_not_mixed() -> None:
    found = analysis([[move(0, loss=0.1), move(1, loss=0.1)]], winners=[0], length=1)
    matches = [read_analysis("a", found, Evaluator(plies), "1.07") for plies in (0, 2)]
    with pytest.raises(LudometerError, match="different ways"):
        measure_backgammon(matches)


# what is refused


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"names": ["Ann", "Ann"]}, "both players are called 'Ann'"),
        ({"variation": "Hypergammon"}, "Hypergammon, not standard"),
        ({"length": 5}, r"ends at 1-0 of a match to 5.*--unfinished"),
    ],
)
def test_a_record_that_cannot_be_right_is_refused(change: dict[str, Any], words: str) -> None:
    found = analysis([[move(0, loss=0.1)]], winners=[0], length=1)
    with pytest.raises(MatchDataError, match=words):
        read_analysis("a.mat", {"match": found["match"] | change}, FAST, "1.07")


@pytest.mark.parametrize(
    ("actions", "words"),
    [
        ([move(0), ["move", 1, 0.5, None, None, 4, 0.1, None, 0.0]], "turn 2: the move is against the rules"),
        ([move(0), move(1), move(1)], "turn 2: a move is missing or against the rules"),
        ([move(0), ["set", 0, 0.0]], "set up by hand"),
        ([], "it has no moves"),
    ],
)
def test_what_is_against_the_rules_is_named(actions: list[list[Any]], words: str) -> None:
    with pytest.raises(MatchDataError, match=words):
        made_up([actions], winners=[0])


def test_a_roll_before_a_resignation_has_luck_only() -> None:
    match = made_up([[move(0, loss=0.1), ["roll", 1, 0.5, -0.25]]], winners=[0])
    assert match.rolls.luck.tolist() == [0.0, -0.25]
    assert len(match.decisions.loss) == 1


def test_files_are_read_plain_packed_and_in_any_encoding(tmp_path: Path) -> None:
    import gzip

    text = HAND_WRITTEN.replace("Ann", "Zoë")
    (tmp_path / "utf8.mat").write_bytes(b"\xef\xbb\xbf" + text.encode())
    (tmp_path / "latin1.mat").write_bytes(text.encode("latin-1"))
    (tmp_path / "packed.mat.gz").write_bytes(gzip.compress(text.encode()))
    (tmp_path / "game.sgf").write_text("(;GM[6])")
    (tmp_path / "old.sgg").write_text("x")
    found = read_match_records(sorted(tmp_path.iterdir()))
    assert {entry.name: entry.format for entry in found} == {
        "game.sgf": "sgf", "latin1.mat": "mat", "old.sgg": "sgg", "packed.mat.gz": "mat", "utf8.mat": "mat",
    }  # fmt: skip
    assert {entry.data for entry in found if entry.format == "mat"} == {text.encode()}


@pytest.mark.parametrize(
    ("data", "words"), [(b"", "empty"), (b" \n", "empty"), (b"\x00\x01\x02", "not text"), (None, "no such file")]
)
def test_what_is_no_record_is_refused_before_any_work(tmp_path: Path, data: bytes | None, words: str) -> None:
    path = tmp_path / "x.mat"
    if data is not None:
        path.write_bytes(data)
    with pytest.raises(LudometerError, match=words):
        read_match_records([path])


def test_where_the_program_is_not_the_message_says_how_to_get_it() -> None:
    with pytest.raises(LudometerError, match="apt-get install gnubg"):
        find_gnubg("no-such-backgammon")


def fake_program(folder: Path, body: str) -> str:
    path = folder / "gnubg"
    path.write_text(f'#!/bin/sh\nif [ "$1" = --version ]; then echo "GNU Backgammon 9.9"; exit 0; fi\n{body}\n')
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


@pytest.mark.skipif(os.name != "posix", reason="the stand-in is a shell script")
@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("sleep 30", "hand.mat: GNU Backgammon did not finish within 0.3 seconds"),
        ("kill -SEGV $$", "hand.mat: GNU Backgammon crashed"),
        ("exit 0", "build with Python inside"),
        ("echo '{' > result.json", "an incomplete result"),
    ],
)
def test_a_program_that_fails_is_told_in_one_sentence(tmp_path: Path, body: str, words: str) -> None:
    program = fake_program(tmp_path, body)
    began = time.monotonic()
    with pytest.raises(GnubgFailure, match=words):
        analyse_matches([record()], gnubg=program, timeout=0.3)
    assert time.monotonic() - began < 10


@pytest.mark.skipif(os.name != "posix", reason="the stand-in is a shell script")
def test_a_closed_program_starts_nothing_and_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    program = open_gnubg(fake_program(tmp_path, "sleep 30"))
    program.close()
    with pytest.raises(GnubgFailure, match="stopped"):
        program.run("", {})
    assert list(folder.iterdir()) == []


# the program itself


@needs_gnubg
def test_a_match_written_by_hand_is_understood() -> None:
    (match,) = analyse_matches([record()], evaluator=FAST)
    assert (match.names, match.length, match.final, match.winner) == (("Ann", "Ben"), 1, (1, 0), 0)
    assert len(match.rolls.luck) == 4
    best, worst = match.decisions.loss[0], match.decisions.loss[1]
    assert best == 0.0
    assert worst > 0.1
    # 3-1 is the best roll to begin with
    assert match.rolls.luck[0] > 0.1


@needs_gnubg
@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("66: 23/17 13/7 13/7 8/2", "66: 24/18 24/18 13/7 13/7", "understands 3 of 4 rolls"),
        ("42: 8/4 6/4", "72: 8/4 6/4", "understands 2 of 4 rolls"),
        ("31: 8/5 6/5", "31: 13/7 24/20", "understands 3 of 4 rolls"),
    ],
)
def test_a_move_that_the_program_passes_over_is_noticed(old: str, new: str, words: str) -> None:
    assert old in HAND_WRITTEN
    with pytest.raises(MatchDataError, match=words):
        analyse_matches([record(HAND_WRITTEN.replace(old, new, 1))], evaluator=FAST)


@needs_gnubg
def test_a_resignation_after_the_roll_is_understood() -> None:
    (match,) = analyse_matches([record(HAND_WRITTEN.replace("66: 23/17 13/7 13/7 8/2", "66:"))], evaluator=FAST)
    assert len(match.rolls.luck) == 4
    assert match.winner == 0


@needs_gnubg
def test_noise_shows_as_equity_given_away(played: PlayedMatches, analysed: list[AnalysedMatch]) -> None:
    assert played.version == analysed[0].version
    found = measure_backgammon(analysed)
    loss = dict(zip(found.tally.names, found.skill.loss.tolist(), strict=True))
    # the evaluator judges itself: what it plays at the same depth is best by its own count
    assert loss["clear"] < 1e-6
    assert loss["noisy"] > 0.01
    row = found.pairs_frame().row(0, named=True)
    sign = 1 if row["player_1"] == "clear" else -1
    assert sign * row["difference"] > 50


@needs_gnubg
def test_sums_are_those_of_the_programs_own_statistics(played: PlayedMatches, analysed: list[AnalysedMatch]) -> None:
    """Two routes: our decisions and rolls added up, and what gnubg shows as statistics of the game and the match."""
    program = open_gnubg()
    for match in analysed:
        task = {"load": "import mat match.mat", **vars(FAST)}
        _, files = program.run(STATISTICS, task, {"match.mat": played.files[match.name]})
        own = json.loads(files["statistics.json"])
        assert len(own["games"]) == match.n_games
        for number, game in enumerate(own["games"]):
            for seat, letter in enumerate("XO"):
                _compare(match, number, seat, game["stats"][letter])
        balance = balance_match(match)
        dice = own["stats"]["X"]["dice"]
        assert balance.result == pytest.approx(dice["actual-result"], abs=1e-5)
        assert balance.luck_adjusted == pytest.approx(dice["luck-adjusted-result"], abs=1e-4)


def _compare(match: AnalysedMatch, game: int, seat: int, own: dict[str, Any]) -> None:
    mine = (match.decisions.game == game) & (match.decisions.player == seat)
    moves, cube = mine & (match.decisions.kind == CHEQUER), mine & (match.decisions.kind != CHEQUER)
    assert moves.sum() == own["moves"]["unforced-moves"]
    assert cube.sum() == own["cube"]["close-cube"]
    assert match.decisions.loss[moves].sum() == pytest.approx(own["moves"]["error-skill"], abs=1e-4)
    cost = match.decisions.loss * match.decisions.unit
    assert cost[moves].sum() == pytest.approx(own["moves"]["error-cost"], abs=1e-4)
    # of the cube the program gives the mean over these decisions, not the sum
    assert match.decisions.loss[cube].sum() == pytest.approx(own["cube"]["error-skill"] * max(cube.sum(), 1), abs=1e-4)
    assert cost[cube].sum() == pytest.approx(own["cube"]["error-cost"] * max(cube.sum(), 1), abs=1e-4)
    rolls = (match.rolls.game == game) & (match.rolls.player == seat)
    assert match.rolls.luck[rolls].sum() == pytest.approx(own["dice"]["luck"], abs=1e-4)
    assert (match.rolls.luck * match.rolls.unit)[rolls].sum() == pytest.approx(own["dice"]["luck-cost"], abs=1e-4)


@needs_gnubg
def test_skill_and_luck_nearly_account_for_the_result(analysed: list[AnalysedMatch]) -> None:
    """At one depth for everything only the disagreement of evaluations before and after a roll is left."""
    for match in analysed:
        balance = balance_match(match)
        assert balance.result is not None
        assert balance.rest is not None
        assert abs(balance.rest) < abs(balance.result)


@needs_gnubg
def test_an_analysis_in_the_file_is_not_believed(tmp_path: Path) -> None:
    """A file may bring analyses along that claim to be better than any; they are made anew."""
    program = open_gnubg()
    script = ANALYSE.replace(
        "    match = gnubg.match(1, 0, 0, 0)", '    say("save match saved.sgf")\n    match = gnubg.match(1, 0, 0, 0)'
    )
    task = {"load": "import mat match.mat", **vars(FAST)}
    _, files = program.run(script, task, {"match.mat": HAND_WRITTEN.encode()})
    saved = files["saved.sgf"].decode()
    assert " 0C 0 1 0.000000" in saved
    forged = saved.replace(" 0C 0 1 0.000000", " 3C 0 1 0.000000").replace("0.5", "0.9")
    assert forged != saved
    true, told = analyse_matches(
        [record(), MatchRecord("forged.sgf", "sgf", forged.encode())], evaluator=FAST, cache=tmp_path / "c.sqlite"
    )
    assert told.decisions.loss.tolist() == true.decisions.loss.tolist()
    assert told.rolls.luck.tolist() == true.rolls.luck.tolist()


@needs_gnubg
def test_the_same_seed_plays_the_same_matches_in_any_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    players = (GradedPlayer("a"), GradedPlayer("b", noise=0.02), GradedPlayer("c", noise=0.05))
    settings: dict[str, Any] = {"n_matches": 3, "length": 1, "records": "mat"}
    whole = play_matches(players, seed=2, **settings)
    monkeypatch.setattr(backgammon_play, "_BATCH", 1)
    single = play_matches(players, seed=2, workers=Workers(3), **settings)
    assert single.files == whole.files
    assert single.points.tolist() == whole.points.tolist()
    assert single.matches.fingerprint == whole.matches.fingerprint
    other = play_matches(players[:2], seed=4, **settings | {"n_matches": 1})
    assert not set(other.files.values()) & set(whole.files.values())
    for name, data in whole.files.items():
        assert name.endswith(".mat")
        assert b"20" + b"26" not in data  # no clock times
        assert b"1 point match" in data


@needs_gnubg
def test_a_game_for_money_has_points(tmp_path: Path) -> None:
    found = play_matches(LADDER[:2], n_matches=1, length=0, seed=1, records="sgf")
    ((name, data),) = found.files.items()
    assert data.startswith(b"(;")
    (match,) = analyse_matches([MatchRecord(name, "sgf", data)], evaluator=FAST)
    assert match.length == 0
    assert sorted(match.final) == sorted(found.points[0].tolist())
    assert balance_match(match).unit == "points"


@needs_gnubg
def test_an_analysis_is_paid_for_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache = tmp_path / "folder" / "cache.sqlite"
    (first,) = analyse_matches([record()], evaluator=FAST, cache=cache)

    def refuse(*_: Any) -> None:
        raise AssertionError("the program was started")

    monkeypatch.setattr(Gnubg, "run", refuse)
    (second,) = analyse_matches([record(name="other name.mat")], evaluator=FAST, cache=cache)
    assert second.decisions.loss.tolist() == first.decisions.loss.tolist()
    with pytest.raises(AssertionError, match="started"):
        analyse_matches([record()], evaluator=Evaluator(1), cache=cache)


def test_a_cache_of_another_kind_is_left_alone(tmp_path: Path) -> None:
    import sqlite3

    path = tmp_path / "other.sqlite"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE other (x)")
    connection.close()
    with pytest.raises(LudometerError, match="not a backgammon cache"):
        AnalysisCache(path)
    (tmp_path / "text.sqlite").write_text("this is no database, but a text that is long enough to look at")
    with pytest.raises(LudometerError, match="cannot be used as a cache"):
        AnalysisCache(tmp_path / "text.sqlite")


# schedules and players


def test_every_pair_meets_equally_often() -> None:
    first, second = draw_schedule(5, 40, seed=3)
    pairs, counts = np.unique(np.sort(np.column_stack((first, second)), axis=1), axis=0, return_counts=True)
    assert len(pairs) == 10
    assert set(counts.tolist()) == {4}
    shorter = draw_schedule(5, 17, seed=3)
    assert shorter[0].tolist() == first[:17].tolist()


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        (("Ann; quit",), "not a valid name"),
        (("both ways",), "not a valid name"),
        (("0",), "not a valid name"),
        (("Ann", 3), "plies must be 0 to 2"),
        (("Ann", 0, -0.1), "noise must be 0 to 1"),
        (("Ann", 0, float("nan")), "noise must be 0 to 1"),
    ],
)
def test_players_that_cannot_be_are_refused(settings: tuple[Any, ...], words: str) -> None:
    with pytest.raises(LudometerError, match=words):
        GradedPlayer(*settings)
