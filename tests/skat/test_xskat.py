"""Logs of xskat: a short one that the program wrote, and fresh ones where the program is installed."""

from __future__ import annotations

import bz2
import gzip
import shutil
import subprocess
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import zstandard

from ludometer.errors import LudometerError, MatchDataError
from ludometer.skat.reading.any_file import read_skat_games
from ludometer.skat.reading.xskat import read_xskat
from ludometer.skat.rules import cards
from ludometer.skat.sheets import ListRules

PROGRAM = shutil.which("xskat") or shutil.which("/usr/games/xskat")

LOG = """\
 Computer1   Computer2   Computer3

----------------------------------------
  CLUB J      Diamond 7   Diamond_A
  SPADE J     Heart J     Heart 7
  SPADE A     Spade 9     Spade 8
  CLUB A      Club 8      Club 7
  Spade_7     Diamond 9   SPADE 10
  Club 9      Heart A     CLUB 10
  DIAMOND J   Heart 9     Heart_10
  SPADE K     Diamond K   Diamond Q
  SPADE Q     Heart K     Heart Q
  Club_Q      Diamond 10  CLUB K
---- random_seed 5 0 2 -----------------
  CLUB J      HEART J     Club 10
  SPADE J     Club 8      Club K
  DIAMOND J   Spade 9     Club 7
  Club A      Heart A     Spade 10
  Club Q      Heart K     Spade 8
  Club 9      Heart 9     Heart 10
  Spade A     Diamond 10  Heart Q
  Spade K     Diamond K   Heart 7
  Spade Q     Diamond 9   Diamond A
  Spade 7     Diamond 7   Diamond Q
----------------------------------------
Skat is: Diamond 8,Heart 8
Skat was: Heart 8,Diamond J
Last bid: 18
Computer1 played Grand
Won with: 72 points
========================================
"""

GERMAN = """\
 Computer1   Computer2   Computer3

----------------------------------------
  KREUZ B     Karo 10     Herz_B
  Herz_A      Herz 8      KARO K
  Karo 9      Karo 7      PIK B
  KARO A      Herz 10     Karo_8
  KREUZ A     Kreuz 8     Kreuz 7
  Herz_7      HERZ D      Kreuz D
  KARO B      Herz_K      Karo D
  Pik_8       Pik 7       PIK K
  Pik D       Pik 10      PIK A
  Kreuz 9     Kreuz K     PIK 9
---- random_seed 7 0 2 -----------------
  KREUZ B     KARO 10     PIK B
  KARO B      KARO 7      HERZ B
  KARO A      Kreuz K     KARO K
  KARO 9      Kreuz 8     KARO D
  Kreuz A     Pik 10      KARO 8
  Kreuz 9     Pik 7       Kreuz D
  Pik D       Herz 10     Kreuz 7
  Pik 8       Herz K      Pik A
  Herz A      Herz D      Pik K
  Herz 7      Herz 8      Pik 9
----------------------------------------
Im Skat ist: Herz 9,Kreuz 10
Im Skat war: Pik 9,Kreuz D
Gereizt bis: 18
Computer3 spielte Karo
Verloren mit: 59 Augen
========================================
"""


def run(tmp_path: Path, n: int, *, seed: int, language: str = "english") -> tuple[Path, Path]:
    """Let three computers of different levels play; the log and the program's own list of the last games."""
    if PROGRAM is None:
        pytest.skip("needs the program xskat")
    log, scores = tmp_path / f"{language}.log", tmp_path / f"{language}.list"
    command = [PROGRAM, "-lang", language, "-auto", str(n), "-s1", "-4", "-s2", "-1", "-s3", "0"]
    command += ["-log", str(log), "-list", str(scores), "-game", "-"]
    subprocess.run(command, input=f"random_seed {seed} 0 2\n".encode(), check=True, capture_output=True, timeout=60)
    return log, scores


def test_a_log_is_read_card_by_card() -> None:
    frame = read_xskat(LOG.splitlines())
    game = frame.row(0, named=True)
    assert (game["player_0"], game["player_1"], game["player_2"]) == ("Computer3", "Computer1", "Computer2")
    assert (game["series"], game["game_id"], game["bid"], game["declarer"]) == ("5", "0", 18, 1)
    assert game["skat"] == cards.parse_cards("H8.DJ")
    assert game["discards"] == cards.parse_cards("D8.H8")
    assert game["hand_1"] == cards.parse_cards("CJ.SJ.CA.CQ.C9.SA.SK.SQ.S7.D8")
    assert game["cards"][:3] == [cards.parse_card(name) for name in ("DA", "CJ", "D7")]
    assert (game["eyes"], game["eyes_recorded"], game["won"], game["points"]) == (72, 72, True, 72)
    assert game["illegal"] is None
    assert read_xskat(LOG.splitlines(), names=("x", "y", "z"))["player_1"].to_list() == ["x"]


def test_a_german_log_is_the_same_game() -> None:
    frame = read_xskat(GERMAN.splitlines())
    assert frame["illegal"].null_count() == 1
    assert frame.select("game", "eyes", "eyes_recorded", "won", "won_recorded", "points").rows() == [
        (3, 59, 59, False, False, -36)
    ]


def test_logs_that_are_cut_or_damaged_are_refused(tmp_path: Path) -> None:
    lines = LOG.splitlines()
    with pytest.raises(MatchDataError, match="truncated"):
        read_xskat(lines[:-1])
    with pytest.raises(MatchDataError, match="lines 1 to"):
        read_xskat([line.replace("CLUB J", "CLUB X") for line in lines])
    with pytest.raises(MatchDataError, match="lines 1 to"):
        read_xskat([line for line in lines if "Last bid" not in line])
    with pytest.raises(LudometerError, match="no such file"):
        read_xskat(tmp_path / "none.log")
    assert read_xskat([]).height == 0


def test_fresh_games_are_legal_and_scored_as_the_program_scores_them(tmp_path: Path) -> None:
    log, scores = run(tmp_path, 1_500, seed=7)
    frame = read_xskat(log)
    assert frame.height == 1_500
    assert frame["illegal"].null_count() == 1_500
    trumps = frame.filter(pl.col("game") != cards.NULL)
    assert (trumps["eyes"] == trumps["eyes_recorded"]).all()
    assert (frame["won"] == frame["won_recorded"]).all()
    assert frame["is_hand"].sum() > 0
    dealt = frame.select(pl.col("hand_0") | pl.col("hand_1") | pl.col("hand_2") | pl.col("skat")).to_series()
    assert (dealt == cards.DECK).all()
    rows = [line.split() for line in scores.read_text().splitlines() if line.startswith("e ")]
    own = [(int(value), won == "1") for *_, value, won in rows]
    assert len(own) == 360
    assert frame.tail(360).select(pl.col("points").abs(), "won").rows() == own


def test_both_languages_tell_the_same_games(tmp_path: Path) -> None:
    english, german = (read_xskat(run(tmp_path, 300, seed=9, language=name)[0]) for name in ("english", "german"))
    assert english.equals(german)


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, zstandard.compress])
def test_packed_logs_read_alike(tmp_path: Path, pack: Any) -> None:
    plain, packed = tmp_path / "log", tmp_path / "log.packed"
    plain.write_text(LOG)
    packed.write_bytes(pack(LOG.encode()))
    assert read_xskat(packed).equals(read_xskat(plain))
    assert read_skat_games(str(packed), rules=ListRules(short="keep")).counts.games == 1
    packed.write_bytes(pack(LOG.encode())[:-12])
    with pytest.raises(LudometerError):
        read_xskat(packed)
