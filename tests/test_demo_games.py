"""The bundled games: whole, connected, small, made again by their scripts, and true to what is known of the players."""

from __future__ import annotations

import gzip
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from html import escape
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from scipy.stats import spearmanr

from ludometer.demo import CLUB, GAMES, BundledGame
from ludometer.matches import Matches
from ludometer.read import read_matches
from ludometer.report.demo import CAUTION, find_strengths
from ludometer.selection import keep_connected
from tests.cli.conftest import Run, run

__all__ = ["run"]

ROOT = Path(__file__).parents[1]
BY_FILE = {game.path.name.split(".")[0]: game for game in GAMES}
PROGRAMS = {"chess": "stockfish", "backgammon": "gnubg", "skat": "xskat"}

each_game = pytest.mark.parametrize("game", GAMES, ids=lambda game: game.path.name.split(".")[0])


@cache
def record(file: str) -> Matches:
    return read_matches(BY_FILE[file].path)


@cache
def strengths(file: str) -> dict[str, float]:
    return dict(find_strengths(record(file)).select("player", "strength").rows())


def where(file: str, pattern: str) -> tuple[list[float], list[float]]:
    """The numbers in the names of some players, and their strengths."""
    found = [(re.fullmatch(pattern, name), strength) for name, strength in strengths(file).items()]
    kept = [(float(name[1]), strength) for name, strength in found if name]
    assert len(kept) >= 5
    return [number for number, _ in kept], [strength for _, strength in kept]


@each_game
def test_a_bundled_game_has_many_matches_of_regulars_who_are_all_linked(game: BundledGame) -> None:
    matches = read_matches(game.path)
    assert 5_000 <= len(matches) <= 20_000
    assert len(matches.players) >= 30
    assert matches.counts.min() >= 100
    assert keep_connected(matches).dropped_matches == 0
    assert (ROOT / game.script).exists()


def test_the_bundled_files_are_small() -> None:
    assert sum(path.stat().st_size for path in CLUB.parent.glob("*.csv*")) < 5 * 2**20


@pytest.mark.parametrize(("file", "first"), [("chess", 6), ("backgammon", 4), ("skat", 4), ("pig", 40), ("tricks", 20)])
def test_its_script_plays_the_first_matches_again(file: str, first: int, tmp_path: Path) -> None:
    program = PROGRAMS.get(file)
    if program and not (shutil.which(program) or shutil.which(program, path="/usr/games")):
        pytest.skip(f"needs {program}; scripts/system-programs.sh installs it on Debian")
    lines = make_again(file, tmp_path, "--first", str(first))
    known = gzip.decompress(BY_FILE[file].path.read_bytes()).decode().splitlines()
    assert len(lines) == 1 + first * (3 if file == "skat" else 1)
    assert lines == known[: len(lines)]


def test_the_club_and_the_coin_are_made_again_byte_for_byte(tmp_path: Path) -> None:
    make_again("coin", tmp_path, "--jobs", "2")
    make_again("club", tmp_path)
    for path in (BY_FILE["coin"].path, CLUB):
        assert (tmp_path / path.name).read_bytes() == path.read_bytes()


def make_again(file: str, folder: Path, *words: str) -> list[str]:
    """Run the script, and read what it wrote."""
    command = [sys.executable, str(ROOT / "scripts" / "make_demo_data.py"), file, "--folder", str(folder), *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    (path,) = folder.glob(f"{file}.*")
    content = path.read_bytes()
    return (gzip.decompress(content) if path.suffix == ".gz" else content).decode().splitlines()


def test_who_searches_more_nodes_is_stronger_and_random_moves_cost_strength() -> None:
    nodes, strength = where("chess", r"stockfish (\d+) nodes?")
    assert spearmanr(nodes, strength).statistic > 0.9
    rates, strength = where("chess", r"stockfish 400 nodes (\d+)% random")
    assert spearmanr(rates, strength).statistic < -0.9
    assert min(strengths("chess"), key=strengths("chess").__getitem__) == "random mover"


def test_less_noise_is_stronger_backgammon() -> None:
    noise, strength = where("backgammon", r"gnubg 0-ply noise ([\d.]+)")
    assert spearmanr(noise, strength).statistic < -0.9
    best = strengths("backgammon")
    assert best["gnubg 2-ply"] > best["gnubg 0-ply noise 0.015"]


def test_xskat_bids_better_at_higher_levels_and_players_of_one_level_differ_by_chance_only() -> None:
    level, strength = where("skat", r"xskat level (-?\d) [A-H]")
    assert spearmanr(level, strength).statistic > 0.9
    frame = find_strengths(record("skat"))
    for one in range(-4, 1):
        same = frame.filter(pl.col("player").str.starts_with(f"xskat level {one} "))
        # a chi-squared with 7 degrees of freedom; its 99.9% point
        residual = (same["strength"] - same["strength"].mean()) / same["error"]
        assert (residual**2).sum() < 24.3


def test_nobody_plays_pig_better_than_the_solution_and_holding_at_20_is_the_best_of_its_kind() -> None:
    assert max(strengths("pig").values()) - strengths("pig")["perfect"] < 2 * 25
    sums, strength = where("pig", r"holds at (\d+)")
    assert 17 <= sums[int(np.argmax(strength))] <= 25
    rates, strength = where("pig", r"perfect (\d+)% by a coin")
    assert spearmanr(rates, strength).statistic < -0.7


def test_thinking_further_is_stronger_and_random_cards_are_weak() -> None:
    deals, strength = where("tricks", r"thinker (\d+) deals?(?: 20% random)?")
    assert spearmanr(deals, strength).statistic > 0.7
    assert (
        strengths("tricks")["thinker 16 deals"] > strengths("tricks")["rule of thumb"] > strengths("tricks")["any card"]
    )


@pytest.fixture(scope="module")
def script() -> Callable[[str], Any]:
    """Modules of scripts/games by name."""

    def load(name: str) -> Any:
        with pytest.MonkeyPatch.context() as patch:
            patch.syspath_prepend(str(ROOT / "scripts" / "games"))
            return __import__(name)

    return load


def test_the_solved_pig_is_the_known_one(script: Callable[[str], Any]) -> None:
    pig = script("play_pig")
    best, wins = pig.best_play(), pig.solve()
    # Neller and Presser (2004): the first player wins 53.06% if both play best
    assert abs(wins[0, 0] - 0.5306) < 5e-5
    holds = [gained for gained in range(1, 100) if not best[0, 0, gained]]
    assert holds[0] == 21
    # whoever has all but reached the goal is raced against
    assert all(best[50, 99, gained] for gained in range(50))


def test_the_solver_of_five_tricks_agrees_with_a_plain_search(script: Callable[[str], Any]) -> None:
    tricks = script("play_tricks")

    def search(mover: int, other: int, led: int, trump: int) -> int:
        if led < 0 and not mover:
            return 0
        left, found = mover.bit_count(), []
        for card in tricks.playable(tricks.View(mover, 0, trump, led, 0)):
            rest = mover ^ 1 << card
            if led < 0:
                found.append(left - search(other, rest, card, trump))
            elif tricks.beats(card, led, trump):
                found.append(1 + search(rest, other, -1, trump))
            else:
                found.append(left - 1 - search(other, rest, -1, trump))
        return max(found)

    rng = np.random.default_rng(1)
    for _ in range(25):
        cards = rng.permutation(20)[:8].tolist()
        mover, other = (sum(1 << card for card in part) for part in (cards[:4], cards[4:]))
        trump = int(rng.integers(4))
        assert tricks.most_tricks(mover, other, -1, trump) == search(mover, other, -1, trump)


def test_demo_measures_the_games_and_rates_their_players(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = run("demo")
    assert done.status == 0, done.err
    rows = {line[2:].split("  ")[0]: line for line in done.out.splitlines() if line.startswith("◆")}
    assert set(rows) == {game.name for game in GAMES}
    assert rows["Coin"].endswith("chance")
    assert rows["Stockfish chess"].endswith("skill")
    assert sum(line.endswith("published") for line in done.out.splitlines()) == 9
    assert len(done.out.splitlines()) <= 40
    assert "demo-report.html" in done.err
    check_page((tmp_path / "demo-report.html").read_text())
    # what its page in the docs shows
    (shown,) = re.findall(r"^```\n(How much skill.*?)^```$", (ROOT / "docs" / "demo.md").read_text(), re.M | re.S)
    assert shown.strip() in done.out


def check_page(page: str) -> None:
    """The games are explained and their players' strengths shown, in the order of the design."""
    assert page.count(CAUTION) == 1
    headings = [
        "What was played",
        "The games side by side",
        "How strong is each player?",
        "<details>",
        "How it was done",
    ]
    places = [page.index(heading) for heading in headings]
    assert places == sorted(places)
    assert page.count("<details><summary>") == len(GAMES) + 1
    for game in GAMES:
        assert page.count(escape(game.what)) == page.count(escape(game.who)) == 2
        assert game.script in page
    ids = re.findall(r'<[^>]* id="([^"]+)"', page)
    assert len(ids) == len(set(ids))
