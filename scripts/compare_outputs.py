"""Keeps what the program answers to a fixed list of commands, and compares two such sets value by value.

    python scripts/compare_outputs.py capture --program .venv/bin/ludometer --out before
    python scripts/compare_outputs.py compare before after

A capture has for each case: CASE.status, CASE.stderr, CASE.seconds, what it printed as CASE.json or CASE.stdout, and
each file it wrote as CASE.file.NAME. Real data come from the folder data in LUDOMETER_SHARED; all other inputs are made
here, always alike. Cases of engines that are not installed are left out. In a comparison every number, key, name and
exit status of the first set must be in the second; added keys and changed words are told and count as equal.
"""

from __future__ import annotations

import argparse
import base64
import bz2
import difflib
import fnmatch
import hashlib
import html
import json
import math
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

CASES = r"""
== help
help: --help
version: --version
help-demo: demo --help
help-measure: measure --help
help-rate: rate --help
help-evaluate: evaluate --help
help-predict: predict --help
help-noise: noise --help
help-learn: learn --help
help-chess: chess --help
help-chess-analyse: chess analyse --help
help-chess-strength: chess strength --help
help-chess-calibrate: chess calibrate --help
help-chess-follow: chess follow --help
help-chess-play: chess play --help
help-backgammon: backgammon --help
help-backgammon-analyse: backgammon analyse --help
help-backgammon-play: backgammon play --help
help-simulate: simulate --help
help-simulate-strengths: simulate strengths --help
help-simulate-coin: simulate coin --help
help-simulate-deterministic: simulate deterministic --help
help-simulate-mix: simulate mix --help
help-simulate-wm: simulate wm --help
help-simulate-league: simulate league --help
help-skat: skat --help
help-skat-score: skat score --help
help-skat-rate: skat rate --help
help-skat-sensitivity: skat sensitivity --help
help-skat-fit: skat fit --help
help-schema: schema --help
help-doctor: doctor --help
help-completion: completion --help
completion-bash: completion bash
completion-zsh: completion zsh
completion-fish: completion fish
doctor: doctor

== schema
schema-measure: schema measure
schema-rate: schema rate
schema-evaluate: schema evaluate
schema-predict: schema predict
schema-noise: schema noise
schema-learn: schema learn
schema-skat-score: schema skat-score
schema-skat-rate: schema skat rate
schema-skat-sensitivity: schema skat-sensitivity
schema-skat-fit: schema skat-fit
schema-chess-analyse: schema chess-analyse
schema-chess-strength: schema chess strength
schema-chess-calibrate: schema chess-calibrate
schema-chess-follow: schema chess-follow
schema-backgammon-analyse: schema backgammon-analyse
schema-backgammon-play: schema backgammon-play

== rate in json
rate-elo: rate in/club.csv
rate-elo-k-start: rate in/club.csv --k 16 --start 0
rate-elo-share: rate in/club.csv --system elo:k=32,share=0.8
rate-best-fit: rate in/club.csv --system best-fit
rate-best-fit-share: rate in/club.csv --system best-fit:share=0.7
rate-static: rate in/club.csv --system static
rate-static-parameters: rate in/club.csv --system static:sd=150,start=1000
rate-dynamic: rate in/club.csv --system dynamic
rate-dynamic-h: rate in/club.csv --system dynamic:h=64,start=1200,retire=200
rate-dynamic-optimal: rate in/club.csv --system dynamic:h=optimal
rate-dynamic-shrinking: rate in/club.csv --system dynamic-shrinking
rate-dynamic-shrinking-h: rate in/club.csv --system dynamic-shrinking:h=200,floor=20
rate-ics: rate in/club.csv --system ics
rate-ics-parameters: rate in/club.csv --system ics:h=48,games=10,target=1600
rate-smith: rate in/club.csv --system smith
rate-smith-parameters: rate in/club.csv --system smith:h=40,sd=250,games=80
rate-glicko2: rate in/club.csv --system glicko2
rate-glicko2-parameters: rate in/club.csv --system glicko2:tau=0.3,period=30,deviation=300,volatility=0.05
rate-glicko2-by-number: rate in/unordered.jsonl --system glicko2:matches=50
rate-federation: rate in/club.csv --system federation
rate-federation-parameters: rate in/club.csv --system federation:k=20,period=60,averages=1,floor=1000,bonus=5
rate-series-elo: rate in/scores.csv --system series-elo:k=0.05,start=500 --prizes score
rate-additive-series-elo: rate in/scores.csv --system additive-series-elo:first=3 --prizes score
rate-sorted: rate in/club.csv --sort matches --top 5 --min-matches 60
rate-by-name: rate in/club.csv --sort player
rate-by-last: rate in/club.csv --sort last
rate-search: rate in/club.csv --search TÖ
rate-by: rate in/club.csv --by league
rate-by-glicko2: rate in/club.csv --by season --system glicko2
rate-where: rate in/club.csv --where "season in (2021, 2023) and not league = 'B'"
rate-experience: rate in/club.csv --experience 20:60
rate-islands: rate in/islands.csv
rate-min-component: rate in/islands.csv --min-component 4
rate-stream: rate in/club.csv --stream
rate-standard-input: rate - < in/club.csv
rate-unordered-jsonl: rate in/unordered.jsonl
rate-semicolons: rate in/semicolons.csv --date-format %d.%m.%Y
rate-columns: rate in/odd.csv --first weiss --second schwarz --score ergebnis --time none
rate-goals: rate in/odd.csv --first weiss --second schwarz --score tore_1,tore_2 --order runde,tisch
rate-winners: rate in/winners.csv
rate-merge-names: rate in/names.csv --merge-names
rate-drop-bad-rows: rate in/bad.csv --drop-bad-rows
rate-drop-bad-rows-stream: rate in/bad.csv --drop-bad-rows --stream
rate-packed: rate in/club.csv.bz2
rate-pgn: rate data/chess/london_classic_2011.pgn
rate-races: rate in/races.csv --match race
rate-races-linear: rate in/races.csv --match race --prizes linear
rate-races-top-heavy: rate in/races.csv --match race --prizes top-heavy
rate-races-list: rate in/races.csv --match race --prizes 50,30,20
rate-races-column: rate in/races.csv --match race --prizes won
rate-races-file: rate in/races.csv --match race --prizes in/prizes.csv
rate-races-base-e: rate in/races.csv --match race --prizes linear --base e --system best-fit
rate-races-scores: rate in/scores.csv
rate-formula1: rate data/formula1_races.parquet --prizes linear --where "finished"
rate-galaxy: rate data/race_for_the_galaxy.parquet --order site,game_no --by site --top 50
rate-football-static: rate data/football_international.parquet --system static
rate-football-glicko2: rate data/football_international.parquet --system glicko2:period=365
rate-poker: rate data/poker_hu_sessions.parquet --by site --where "hands >= 30" --top 50
rate-kaggle-federation: rate data/chess_kaggle2010.parquet --system federation:period=3 --top 300
rate-tennis: rate data/tennis_atp_1968_2017.parquet --top 300
rate-tennis-best-fit: rate data/tennis_atp_1968_2017.parquet --system best-fit --top 300
rate-twic-smith: rate data/chess_twic.parquet --system smith --top 300

== evaluate in json
evaluate-club: evaluate in/club.csv
evaluate-bins: evaluate in/club.csv --bins 4 --system elo:k=16 --system glicko2:tau=0.5
evaluate-from: evaluate in/club.csv --from 2022-06-01
evaluate-by: evaluate in/club.csv --by league --system elo --system smith
evaluate-stream: evaluate in/club.csv --stream --system elo --system dynamic:h=64
evaluate-experience: evaluate in/club.csv --experience 10:50 --system elo --system static
evaluate-timing: evaluate in/club.csv --timing --system elo --system federation
evaluate-refit: evaluate in/club.csv --system static:refit=100 --system smith:sd=200,h=30 --from 2022-01-01
evaluate-races: evaluate in/races.csv --match race --prizes linear
evaluate-races-winner: evaluate in/races.csv --match race --system elo:k=8 --system best-fit
evaluate-nfl: evaluate data/us_nfl.parquet --from 2010-01-01
evaluate-nba: evaluate data/us_nba.parquet
evaluate-football: evaluate data/football_international.parquet
evaluate-kaggle: evaluate data/chess_kaggle2010.parquet
evaluate-formula1: evaluate data/formula1_races.parquet --prizes linear

== predict in json
predict-two: predict in/club.csv Berta Emil
predict-best-fit: predict in/club.csv Emil Tönnies --system best-fit
predict-glicko2: predict in/club.csv Berta Emil --system glicko2
predict-static: predict in/club.csv Berta Emil --system static
predict-smith: predict in/club.csv Berta Emil --system smith
predict-by: predict in/club.csv Berta Emil --by league
predict-stream: predict in/club.csv Berta Emil --stream
predict-three: predict in/races.csv A E H --match race
predict-five: predict in/races.csv A B C D H --match race --prizes linear --system best-fit
predict-two-of-several: predict in/races.csv A H --match race
predict-football: predict data/football_international.parquet Brazil Germany
predict-formula1: predict data/formula1_races.parquet lewis-hamilton max-verstappen fernando-alonso lando-norris
predict-nfl: predict data/us_nfl.parquet NE KC --where "season >= 2015" --system dynamic

== noise in json
noise: noise --sigma 324 --games 35 --h 64
noise-entry-error: noise --sigma 324 --games 35 --entry-error 100
noise-exponential: noise --sigma 200 --games 120 --lifetimes exponential
noise-printed: noise --sigma 324 --games 35 --h 64 --printed
noise-club: noise in/club.csv --jobs 1
noise-club-year: noise in/club.csv --h 24 --period year --seed 3 --jobs 2
noise-club-given: noise in/club.csv --sigma 150 --games 90 --lifetimes exponential --period month --jobs 1
noise-football: noise data/football_international.parquet --period year --where "date >= '1990-01-01'" --jobs 1
noise-kaggle: noise data/chess_kaggle2010.parquet --h 32 --period 10 --jobs 1

== learn in json
simulate-league-to-learn: simulate league --players 200 --matches 15000 --games 150 --sd 150 --learning unbounded
  ... --seed 3 --out league.parquet --truth players.csv
learn-league: learn league.parquet --plot learn.svg
learn-league-choices: learn league.parquet --width 50 --window 10 --k 20 --start 1000 --origin 500
learn-league-noise: noise league.parquet --h 32 --jobs 1
learn-truth: learn players.csv --rating skill
learn-list: learn in/ratings.csv
learn-list-choices: learn in/ratings.csv --width 60 --origin 800 --snapshots 2 --plot list.svg
learn-kaggle: learn data/chess_kaggle2010.parquet --window 15
learn-football: learn data/football_international.parquet --where "date >= '1960-01-01'"

== measure in json
measure-club: measure in/club.csv --replicates 39 --jobs 1 --html club.html
measure-club-two-jobs: measure in/club.csv --replicates 39 --jobs 2 --seed 5
measure-club-quick: measure in/club.csv --quick --html quick.html
measure-by: measure in/club.csv --by league --replicates 19 --luck-draws 100 --jobs 1
measure-by-season: measure in/club.csv --by season --quick --cutoffs 10,1
measure-islands: measure in/islands.csv --min-component 4 --quick --cutoffs 1,5
measure-experience: measure in/club.csv --experience 20:90 --replicates 19 --luck-draws 100 --jobs 1
measure-share: measure in/club.csv --share 0.8 --replicates 19 --luck-draws 0 --jobs 1
measure-share-fit: measure in/club.csv --share fit --replicates 19 --luck-draws 0 --jobs 1
measure-reference: measure in/club.csv --reference data/us_nfl.parquet --replicates 19 --luck-draws 100 --jobs 1
measure-ridge-cv: measure in/club.csv --ridge cv --replicates 19 --luck-draws 100 --jobs 1
measure-ridge-one: measure in/club.csv --ridge 1 --replicates 19 --luck-draws 0 --jobs 1
measure-logit: measure in/club.csv --luck-model logit --replicates 19 --luck-draws 100 --jobs 1
measure-invgamma: measure in/club.csv --luck-prior invgamma:2,1 --replicates 19 --luck-draws 100 --jobs 1
measure-printed-search: measure in/club.csv --search printed --replicates 19 --luck-draws 0 --jobs 1
measure-cutoffs: measure in/club.csv --quick --cutoffs 1,5,200
measure-races: measure in/races.csv --match race --replicates 19 --luck-draws 100 --jobs 1 --html races.html
measure-races-linear: measure in/races.csv --match race --prizes linear --replicates 19 --luck-draws 50 --jobs 1
measure-races-logit: measure in/races.csv --match race --luck-model logit --ridge cv --replicates 19
  ... --luck-draws 50 --jobs 1
measure-races-base-e: measure in/races.csv --match race --base e --quick
measure-scores: measure in/scores.csv --replicates 19 --luck-draws 50 --jobs 1
measure-several: measure in/club.csv in/scores.csv in/bad-for-measure.csv --quick
measure-compare: measure data/us_nfl.parquet data/us_nba.parquet --where "season = 2016" --cutoffs 10,1
  ... --replicates 19 --luck-draws 100 --jobs 1 --html several.html
measure-standard-input: measure - --quick < in/club.csv
measure-nfl: measure data/us_nfl.parquet --where "season >= 2015" --jobs 1
measure-nfl-all: measure data/us_nfl.parquet --jobs 1
measure-nba: measure data/us_nba.parquet --where "season <= 2017" --replicates 39 --luck-draws 200 --jobs 1
measure-nhl: measure data/us_nhl.parquet --where "season in (2015, 2016, 2017) and not playoff" --replicates 39
  ... --luck-draws 200 --jobs 1
measure-poker: measure data/poker_hu_sessions.parquet --where "site = 'ABS' and hands >= 30" --replicates 19
  ... --luck-draws 50 --jobs 1
measure-football: measure data/football_international.parquet --replicates 19 --luck-draws 100 --jobs 1
measure-galaxy: measure data/race_for_the_galaxy.parquet --order site,game_no --where "site = 'flex'"
  ... --prizes winner --replicates 19 --luck-draws 0 --jobs 1
measure-galaxy-quick: measure data/race_for_the_galaxy.parquet --order site,game_no --by site --prizes linear --quick
measure-formula1: measure data/formula1_races.parquet --prizes linear --where "date >= '1990-01-01'" --replicates 19
  ... --luck-draws 20 --jobs 1
measure-tennis: measure data/tennis_atp_1968_2017.parquet --quick
measure-twic: measure data/chess_twic.parquet --where "not fast" --quick
measure-kaggle: measure data/chess_kaggle2010.parquet --min-component 5 --quick
measure-mlb: measure data/us_mlb.parquet --quick
measure-simulated: simulate deterministic --x 40 --players 60 --matches 4000 --seed 2 --out simulated.csv
measure-simulated-full: measure simulated.csv --replicates 39 --jobs 1
measure-coin-on: simulate coin --on in/club.csv --seed 2 --out coin.csv
measure-coin-on-full: measure coin.csv --replicates 39 --jobs 1

== simulate
simulate-strengths: simulate strengths --sd 200 --players 50 --matches 2000 --draws 0.1 --seed 1 --out a.csv
  ... --truth at.csv
simulate-strengths-activity: simulate strengths --players 50 --matches 2000 --activity 0.8 --out b.parquet
  ... --truth bt.parquet
simulate-strengths-tables: simulate strengths --players 30 --matches 500 --per-match 4 --out c.jsonl --truth ct.csv
simulate-coin: simulate coin --players 50 --matches 2000 --draws 0.2 --seed 4 --out d.csv --truth dt.csv
simulate-coin-tables: simulate coin --players 20 --matches 300 --per-match 3 --out e.csv
simulate-coin-on: simulate coin --on in/club.csv --seed 5 --out f.csv --truth ft.csv
simulate-deterministic: simulate deterministic --x 50 --players 50 --matches 2000 --out g.csv --truth gt.csv
simulate-deterministic-tables: simulate deterministic --x 70 --players 20 --matches 400 --per-match 5 --out h.csv
simulate-deterministic-on: simulate deterministic --x 60 --on in/club.csv --seed 5 --out i.parquet --truth it.csv
simulate-mix: simulate mix in/club.csv --x 40 --seed 2 --out j.csv
simulate-mix-races: simulate mix in/races.csv --match race --x 40 --seed 2 --out k.jsonl
simulate-mix-where: simulate mix in/club.csv --x 100 --where "season > 2021" --min-component 3 --out l.csv
simulate-wm: simulate wm --players 40 --matches 2000 --ahead 3 --sd 300 --out m.csv --truth mt.csv
simulate-wm-activity: simulate wm --players 40 --matches 2000 --activity 0.5 --seed 9 --out n.parquet
simulate-league: simulate league --players 60 --matches 3000 --games 40 --out o.csv --truth ot.csv
simulate-league-bounded: simulate league --players 60 --matches 3000 --games 40 --lifetimes exponential
  ... --learning bounded --learning-rate 0.05 --learning-gain 300 --matchmaking rating --window 80 --h 24 --seed 6
  ... --out p.csv --truth pt.csv
simulate-league-endless: simulate league --players 60 --matches 3000 --lifetimes endless --learning unbounded
  ... --matchmaking skill --seed 7 --out q.parquet --truth qt.parquet

== skat in json
skat-score-real: skat score data/skat/iss_games.sgf --short keep
skat-score-real-rules: skat score data/skat/iss_games.sgf --short rescale --points rules --folded
skat-score: skat score in/games.sgf.bz2 --out series.csv --matches matches.csv --html score.html
skat-score-plain: skat score in/games.sgf.bz2 --scoring plain --length 12 --folded --lot 3 --jobs 2
skat-score-points: skat score in/games.sgf.bz2 --scoring points --substitutes seat --short rescale --copies keep
skat-score-four: skat score in/four.csv
skat-score-list: skat score in/list.csv
skat-score-list-rules: skat score in/list.csv --points rules --language de
skat-score-list-german: skat score in/liste.csv --language de
skat-score-house-rules: skat score in/house.csv --house-rules kontra,ramsch
skat-score-xskat: skat score in/xskat.log --short keep
skat-score-damaged: skat score in/damaged.sgf --skip-damaged --short keep
skat-rate-table: skat rate in/season.csv --k 0.02 --start 800 --html rate.html
skat-rate-options: skat rate in/season.csv --k 0.05 --form additive --newcomer-k 0.2 --newcomer-series 5 --floor 700
skat-rate-mean: skat rate in/season.csv --start mean --titles 1000=Meister,850=Experte --dropped 1 --min-share 0.9
  ... --teams in/teams.csv --sensitivity --min-series 3 --language de
skat-rate-first: skat rate in/season.csv --start first:3
skat-rate-since: skat rate in/season.csv --since 2024-03-01 --ratings in/standing.csv
skat-rate-anonymous: skat rate in/season.csv --anonymise --seed 5 --matches anonymous.csv
skat-rate-position: skat rate in/dice.csv --chance position
skat-rate-quotient: skat rate in/dice.csv --chance position:quotient --k 0.1
skat-rate-games: skat rate in/games.sgf.bz2 --folded --start mean
skat-rate-series: skat rate series.csv --start mean
skat-rate-i1: skat rate in/games.sgf.bz2 --chance i1 --lost keep
skat-rate-i2: skat rate in/games.sgf.bz2 --chance i2
skat-rate-i3: skat rate in/games.sgf.bz2 --chance i3 --jobs 2
skat-rate-all-factors: skat rate in/games.sgf.bz2 --chance i1,i2,i3:table --lost multiply --folded --html factors.html
skat-rate-real: skat rate data/skat/iss_games.sgf --short rescale --chance i1,i3
skat-measure-matches: measure matches.csv --quick --cutoffs 1
skat-sensitivity: skat sensitivity in/games.sgf.bz2 --k 0.02,0.05 --html sensitivity.html
skat-sensitivity-i3: skat sensitivity in/games.sgf.bz2 --factors i3 --start 900 --form additive
skat-sensitivity-targets: skat sensitivity in/season.csv --targets 1000:800 --min-series 5
skat-fit: skat fit in/games.sgf.bz2 --out model.json --plot fit.svg --ridge 50 --html fit.html
skat-rate-model: skat rate in/games.sgf.bz2 --chance i1 --model model.json
skat-sensitivity-model: skat sensitivity in/games.sgf.bz2 --factors i1 --lost keep --model model.json

== chess in json
chess-strength-paper: chess strength data/chess/byrne_fischer_1956_houdini15a_d20.csv --method engine
  ... --engine-strength 2860
chess-strength-paper-words: chess strength data/chess/byrne_fischer_1956_houdini15a_d20.csv --engine "Houdini 1.5"
  ... --depth 20 --min-games 2 --skip-plies 10 --reference pooled
chess-strength: chess strength in/evaluations.csv --html strength.html
chess-strength-printed: chess strength in/evaluations.csv --method printed --replicates 200
chess-strength-engine: chess strength in/evaluations.csv --method engine --replicates 200 --level 0.8 --seed 2
chess-strength-pairs: chess strength in/evaluations.csv --distribution pair --replicates 100
chess-strength-filters: chess strength in/evaluations.csv --skip-plies 8 --window 2 --mate-value 10 --min-games 6
  ... --replicates 200
chess-strength-ratings: chess strength in/evaluations.csv --rating P0=2000 --rename P1=P2 --replicates 100
chess-strength-event: chess strength in/evaluations.csv --event London --replicates 100
chess-strength-compare: chess strength in/evaluations.csv --compare London Moscow --anchor Moscow --replicates 200
chess-strength-choices: chess strength in/evaluations.csv --choices --replicates 50
chess-strength-reference: chess strength in/evaluations.csv --reference in/lines.csv --replicates 100
chess-strength-measures: chess strength in/lines.csv --measures --choices --gap 0:1 --replicates 100 --html lines.html
chess-calibrate: chess calibrate in/evaluations.csv --out calibration.json
chess-calibrate-bands: chess calibrate in/evaluations.csv --units band --bands 8 --skip-plies 4 --out bands.json
chess-strength-calibrated: chess strength in/evaluations.csv --calibration calibration.json --replicates 100

== chess-engine in json needs stockfish
chess-analyse: chess analyse data/chess/london_classic_2011.pgn --depth 3 --cache c.sqlite
chess-analyse-again: chess analyse data/chess/london_classic_2011.pgn --depth 3 --cache c.sqlite
chess-analyse-nodes: chess analyse in/games.pgn --nodes 500 --lines 2 --cache n.sqlite --hash game
  ... --option "Skill Level=20"
chess-analyse-lines: chess analyse in/games.pgn data/chess/byrne_fischer_1956.pgn --depth 4 --lines 2 --hash-mb 8
  ... --cache l.sqlite --jobs 1
chess-strength-cache: chess strength data/chess/london_classic_2011.pgn --cache c.sqlite --annotated annotated.pgn
  ... --replicates 200 --measures --choices --html london.html
chess-strength-comments: chess strength annotated.pgn --comments --replicates 100 --phase middlegame
chess-strength-lines: chess strength in/games.pgn --cache l.sqlite --lines 2 --gap 0:2 --measures --replicates 100
chess-calibrate-cache: chess calibrate data/chess/london_classic_2011.pgn --cache c.sqlite --out london.json
chess-play: chess play in/games.pgn --depth 4 --lines 2 --hash-mb 8 --games 3 --opening-plies 6 --max-plies 60
  ... --cache l.sqlite --out own.pgn
chess-strength-own: chess strength in/games.pgn --cache l.sqlite --reference own.pgn --replicates 50
chess-follow: chess follow in/games.pgn --depth 3 --once --json
chess-follow-input: chess follow --depth 2 --white Ann --black Ben --engine-strength 2800 --json < in/moves.txt

== backgammon in json needs gnubg
backgammon-analyse: backgammon analyse in/final.mat in/session.mat --plies 0 --cache b.sqlite --moves moves.csv
  ... --html backgammon.html
backgammon-analyse-again: backgammon analyse in/final.mat in/session.mat --plies 0 --cache b.sqlite
backgammon-analyse-plies: backgammon analyse in/final.mat --plies 1 --luck-plies 1 --decisions chequer --cache b.sqlite
backgammon-unfinished: backgammon analyse in/early.mat --plies 0 --unfinished --cache b.sqlite
backgammon-play: backgammon play --player strong --player weak=0:0.2 --matches 3 --length 3 --seed 1
  ... --records records --format sgf --out results.csv
backgammon-play-money: backgammon play --player a --player b=0:0.1 --player c=0:0.3 --matches 3 --length 0 --jobs 2
  ... --records money --out money.jsonl
backgammon-analyse-played: backgammon analyse records/match-1.sgf records/match-2.sgf records/match-3.sgf --plies 0
  ... --min-games 2 --replicates 200 --level 0.9 --cache b.sqlite
backgammon-rate-played: rate results.csv

== screen
screen-rate: rate in/club.csv
screen-and-file: rate in/club.csv --top 4 --json ratings.json
screen-rate-by: rate in/club.csv --by league --top 3
screen-evaluate: evaluate in/club.csv
screen-predict: predict in/club.csv Berta Emil
screen-predict-three: predict in/races.csv A E H --match race
screen-noise: noise in/club.csv --jobs 1
screen-noise-printed: noise --sigma 324 --games 35 --printed
screen-learn: learn in/ratings.csv
screen-measure: measure in/club.csv --replicates 19 --luck-draws 100 --jobs 1
screen-measure-several: measure in/club.csv in/scores.csv --quick
screen-skat-score: skat score in/list.csv
screen-skat-score-german: skat score in/liste.csv --language de
screen-skat-rate: skat rate in/season.csv --titles 1000=Meister --explain Spieler-03
screen-skat-rate-german: skat rate in/season.csv --language de --top 3 --sensitivity
screen-skat-sensitivity: skat sensitivity in/season.csv --targets 1000:800
screen-skat-fit: skat fit in/games.sgf.bz2 --out model.json --ridge 50
screen-chess-strength: chess strength in/evaluations.csv --compare London Moscow --replicates 100
screen-chess-calibrate: chess calibrate in/evaluations.csv --out calibration.json

== demo
demo: demo

== refused
refused-no-command: nonsense
refused-no-file: rate
refused-absent: rate absent.csv
refused-empty: rate in/refused/empty.csv
refused-header: rate in/refused/header.csv
refused-columns: measure in/refused/columns.csv
refused-himself: rate in/refused/himself.csv
refused-seven: evaluate in/refused/seven.csv
refused-result: measure in/refused/abc.csv --quick
refused-names: rate in/refused/names.csv
refused-ragged: rate in/refused/ragged.csv
refused-bytes: rate in/refused/random.parquet
refused-bad-rows: rate in/bad.csv
refused-system: rate in/club.csv --system elow
refused-parameter: rate in/club.csv --system elo:q=3
refused-twice: rate in/club.csv --system elo:k=1 --k 2
refused-top: rate in/club.csv --top 0
refused-where: rate in/club.csv --where "seasom = 3"
refused-where-syntax: rate in/club.csv --where "season = = 3"
refused-by: rate in/club.csv --by nothing
refused-stream: rate in/club.csv --stream --min-component 3
refused-base: rate in/club.csv --base e
refused-prizes: rate in/races.csv --match race --prizes wonn
refused-rising-prizes: rate in/races.csv --match race --prizes place
refused-json-folder: rate in/club.csv --json nowhere/x.json
refused-from: evaluate in/club.csv --from soon
refused-player: predict in/club.csv Berta Emill
refused-one-player: predict in/club.csv Berta
refused-cutoffs: measure in/club.csv --cutoffs many
refused-ridge: measure in/club.csv --ridge steep
refused-prior: measure in/club.csv --luck-prior flat
refused-share: measure in/club.csv --share half
refused-experience: measure in/club.csv --experience few
refused-replicates: measure in/club.csv --replicates 3
refused-noise: noise --games 35
refused-noise-step: noise --sigma 324 --games 35 --h 2000
refused-learn: learn in/club.csv --width nan
refused-learn-list: learn in/refused/ratings.csv
refused-simulate: simulate deterministic --out x.csv
refused-simulate-ending: simulate coin --players 10 --matches 10 --out x.docx
refused-simulate-draws: simulate strengths --draws 0.1 --per-match 3 --out x.csv
refused-simulate-on: simulate coin --on in/odd.csv --out x.csv
refused-skat-series: skat rate in/refused/series.csv
refused-skat-start: skat rate in/season.csv --start high
refused-skat-chance: skat rate in/season.csv --chance i1
refused-skat-list: skat score in/refused/list.csv
refused-skat-damaged: skat score in/damaged.sgf
refused-skat-fit: skat fit in/four.csv --out model.json
refused-chess-event: chess strength in/evaluations.csv --event Paris
refused-chess-rating: chess strength in/evaluations.csv --rating Ann
refused-chess-gap: chess strength in/evaluations.csv --gap wide
refused-chess-cache: chess strength in/games.pgn --cache nowhere.sqlite
refused-chess-engine: chess analyse in/games.pgn --engine no-such-engine
refused-chess-move: chess analyse in/refused/wrong.pgn --cache w.sqlite
refused-chess-calibration: chess calibrate in/lines.csv --out out.csv
refused-backgammon-program: backgammon analyse in/final.mat --gnubg no-such-backgammon
refused-backgammon-player: backgammon play --player a --player A --out x.csv
refused-schema: schema nothing
refused-completion: completion tcsh
"""
"""A line a case: its name and the words after `ludometer`; "..." goes on with the line before, "<" is standard input.

The cases after a line "==" run one after the other in one folder, and may use each other's files; "in json" stands for
--json - in those that have it.
"""

_TIMEOUT = 900.0
_KEPT_OUT = (".sqlite", ".sqlite-wal", ".sqlite-shm")
"""Files that cases write for each other only."""

_COMPILING = re.compile(r"^compiling for this machine.*\n", re.M)
_VERSION = re.compile(r"\bludometer,? (version )?\d+\.\d+[\w.]*")
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*(?:e[+-]?\d+)?")
_DOWNLOAD = re.compile(r'"data:[^";,]*;base64,([^"]*)"')
_TAG = re.compile(r"<style.*?</style>|<[^>]*>", re.S)

_FREE = ("provenance.version", "provenance.command", "seconds")
"""Ends of paths whose values may differ."""

_WORDS = {"reason", "reasons", "statement", "sentence", "name", "variant", "contradictions"}
"""Keys whose strings are words, as are all in `absent`; other strings are values."""

_SCHEMA_WORDS = {"title", "description", "$comment", "examples"}
_SCHEMA_STARTS = {"properties", "$defs", "oneOf", "anyOf", "allOf", "items", *_SCHEMA_WORDS}


@dataclass(frozen=True)
class Case:
    """A command, and the folder that it shares with the others of its group."""

    name: str
    words: tuple[str, ...]
    group: str
    needs: str | None = None
    stdin: str | None = None


def read_cases(text: str = CASES) -> list[Case]:
    """All cases in their order."""
    cases: list[Case] = []
    group, needs, in_json = "", None, False
    for line in re.sub(r"\n\s+\.\.\. ", " ", text).splitlines():
        if line.startswith("== "):
            title, _, rest = line.removeprefix("== ").partition(" needs ")
            group, needs, in_json = title.removesuffix(" in json"), rest or None, title.endswith(" in json")
        elif line:
            name, _, command = line.partition(": ")
            command, _, stdin = command.partition(" < ")
            words = tuple(shlex.split(command))
            if in_json and words[0] != "simulate" and words[:2] not in (("chess", "follow"), ("chess", "play")):
                words += ("--json", "-")
            cases.append(Case(name, words, group, needs, stdin or None))
    names = [case.name for case in cases]
    assert len(set(names)) == len(names), "two cases have one name"
    return cases


def choose(cases: Sequence[Case], pattern: str | None) -> list[Case]:
    """Cases of such a name, and those before them whose files they use."""
    if pattern is None:
        return list(cases)
    chosen: set[str] = set()
    used: set[tuple[str, str]] = set()
    for case in reversed(cases):
        files = {(case.group, file) for file in own_files(case)}
        if fnmatch.fnmatch(case.name, pattern) or files & used:
            chosen.add(case.name)
            used |= files
    return [case for case in cases if case.name in chosen]


def own_files(case: Case) -> set[str]:
    """Files and folders of its group that a case reads or writes."""
    folders = {word for option, word in zip(case.words, case.words[1:], strict=False) if option == "--records"}
    named = {word.partition("/")[0] for word in case.words if re.fullmatch(r"[a-z]+(\.[a-z]+|/[\w.-]+)", word)}
    return (folders | named) - {"in", "data"}


# Capturing


def capture(program: Path, out: Path, cases: Sequence[Case], shared: Path) -> None:
    """Run the cases and keep what they answer."""
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="ludometer-outputs-") as name:
        work = Path(name)
        (work / "in").mkdir()
        write_inputs(work / "in", shared / "data")
        times: dict[str, float] = {}
        for case in cases:
            if case.needs and not _is_installed(case.needs):
                print(f"{case.name}: left out, {case.needs} is not installed", file=sys.stderr)
                continue
            times[case.name] = run_case(case, program, _folder(work, case.group, shared), out)
            print(f"{times[case.name]:6.1f} s  {case.name}", file=sys.stderr, flush=True)
    print(f"{len(times)} cases in {sum(times.values()):.0f} seconds", file=sys.stderr)


def run_case(case: Case, program: Path, folder: Path, out: Path) -> float:
    """Run one case in its folder, keep its answer, and return the seconds that it took."""
    for old in out.glob(f"{case.name}.*"):
        old.unlink()
    before = _fingerprints(folder)
    stdin = (folder / case.stdin).read_bytes() if case.stdin else b""
    start = time.perf_counter()
    done = subprocess.run(
        [str(program), *case.words],
        cwd=folder,
        env=_environment(folder),
        input=stdin,
        capture_output=True,
        timeout=_TIMEOUT,
        check=False,
    )
    took = time.perf_counter() - start
    (out / f"{case.name}.seconds").write_text(f"{took:.2f}\n")
    (out / f"{case.name}.status").write_text(f"{done.returncode}\n")
    (out / f"{case.name}.stderr").write_text(_tidy(done.stderr, program))
    printed = _tidy(done.stdout, program)
    if printed:
        (out / f"{case.name}.{'json' if _documents(printed) else 'stdout'}").write_text(printed)
    for path, digest in _fingerprints(folder).items():
        if before.get(path) != digest and path.suffix not in _KEPT_OUT:
            flat = str(path.relative_to(folder)).replace(os.sep, "+")
            shutil.copyfile(path, out / f"{case.name}.file.{flat}")
    return took


def _folder(work: Path, group: str, shared: Path) -> Path:
    folder = work / group
    if not folder.is_dir():
        folder.mkdir()
        (folder / "in").symlink_to(work / "in", target_is_directory=True)
        (folder / "data").symlink_to(shared / "data", target_is_directory=True)
    return folder


def _environment(folder: Path) -> dict[str, str]:
    """Nothing kept from earlier runs but compiled kernels, and a screen of a fixed width."""
    usual = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    kernels = os.environ.get("NUMBA_CACHE_DIR") or usual
    fixed = {"COLUMNS": "110", "NO_COLOR": "1", "XDG_CACHE_HOME": str(folder / ".cache"), "NUMBA_CACHE_DIR": kernels}
    return dict(os.environ) | fixed | {"PYTHONUTF8": "1"}


def _is_installed(program: str) -> bool:
    return shutil.which(program) is not None or Path("/usr/games", program).exists()


def _tidy(printed: bytes, program: Path) -> str:
    """Without what tells where the program lies, and whether it was run before."""
    text = _COMPILING.sub("", printed.decode("utf-8", errors="replace"))
    return text.replace(str(program.absolute().parents[2]), "TREE")


def _fingerprints(folder: Path) -> dict[Path, str]:
    """Of the files that cases wrote."""
    return {
        path: hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not any(part in ("in", "data", ".cache") for part in path.relative_to(folder).parts)
    }


def _documents(text: str) -> list[Any] | None:
    """The JSON document of a text, or those of its lines; none if it is another text."""
    for parts in ([text], text.splitlines()):
        try:
            found = [json.loads(part) for part in parts]
        except ValueError:
            continue
        return found if found and all(isinstance(one, dict) for one in found) else None
    return None


# Inputs


def write_inputs(folder: Path, data: Path) -> None:
    """All inputs that are not real data, and the Skat records that are made of real ones."""
    write_club(folder)
    write_odd_tables(folder)
    write_races(folder)
    write_dice(folder)
    write_season(folder)
    write_skat_lists(folder)
    write_skat_records(folder, data / "skat" / "iss_games.sgf")
    write_evaluations(folder)
    write_lines(folder)
    write_chess_games(folder)
    write_backgammon(folder)
    write_rating_list(folder)
    write_refused(folder / "refused")


def _write_rows(path: Path, header: str, rows: Iterable[Sequence[object]], separator: str = ",") -> None:
    lines = [header, *(separator.join(map(str, row)) for row in rows)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _chance(difference: float) -> float:
    """To win, by a difference of Elo points."""
    return 1 / (1 + math.exp(-difference * math.log(10) / 400))


_CLUB = [
    "Ada",
    "Berta",
    "Carl",
    "Dora",
    "Emil",
    "Fritz",
    "Gerda",
    "Hans",
    "Ida",
    "José",
    "Karl",
    "Lena",
    "Mia",
    "Nora",
    "Otto",
    "Paula",
    "Quentin",
    "Rosa",
    "Sven",
    "Tönnies",
    "Ute",
    "Vera",
    "Willi",
    "Xaver",
]


def _day(number: int) -> tuple[int, int, int]:
    """Year, month and day, in years of 336 days from 2021 on."""
    return 2021 + number // 336, 1 + number // 28 % 12, 1 + number % 28


def write_club(folder: Path) -> None:
    """Three seasons of a league of 24, in several forms."""
    rng = Random(1)
    skill = {name: 25.0 * place + rng.gauss(0, 60) for place, name in enumerate(rng.sample(_CLUB, len(_CLUB)))}
    rows: list[tuple[object, ...]] = []
    for number in range(1500):
        one, two = rng.sample(_CLUB, 2)
        year, month, day = _day(number * 1008 // 1500)
        draw = rng.random() < 0.1
        score: float = 0.5 if draw else int(rng.random() < _chance(skill[one] - skill[two]))
        rows.append((f"{year}-{month:02d}-{day:02d}", one, two, score, "AB"[rng.random() < 0.4], year))
    _write_rows(folder / "club.csv", "date,player_1,player_2,score_1,league,season", rows)
    (folder / "club.csv.bz2").write_bytes(bz2.compress((folder / "club.csv").read_bytes()))
    lines = [json.dumps({"white": row[1], "black": row[2], "result": row[3]}) for row in rows]
    (folder / "unordered.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    results = {0.5: "1/2-1/2", 1: "1-0", 0: "0-1"}
    german = [
        ("{2}.{1}.{0}".format(*str(date).split("-")), one, two, results[float(str(score))])
        for date, one, two, score, *_ in rows[:300]
    ]
    _write_rows(folder / "semicolons.csv", "date;white;black;result", german, ";")


def write_odd_tables(folder: Path) -> None:
    """Tables with other headings, with faults, with islands, and with names that are alike."""
    rng, results = Random(2), ("1-0", "0-1", "1/2-1/2")
    odd = [
        (1 + k // 8, 1 + k % 8, *rng.sample("ABCDEFGHJK", 2), rng.choice(results), *rng.choices(range(5), k=2))
        for k in range(200)
    ]
    _write_rows(folder / "odd.csv", "runde,tisch,weiss,schwarz,ergebnis,tore_1,tore_2", odd)
    won = [(*rng.sample("ABCDEF", 2), "6-4 6-3") for _ in range(80)]
    _write_rows(folder / "winners.csv", "winner,loser,score", won)
    alike = [(*rng.sample(["Ann", "ann ", "BEN", "Ben", "Cem"], 2), rng.choice([0, 1])) for _ in range(60)]
    distinct = [row for row in alike if str(row[0]).strip().lower() != str(row[1]).strip().lower()]
    _write_rows(folder / "names.csv", "white,black,result", distinct)
    bad = [("Ann", "Ben", 1), ("Zed", "Zed", 1), ("Ben", "Ann", "x"), ("Ben", "Cem", "1/2"), ("Cem", "Ann", 0)]
    _write_rows(folder / "bad.csv", "white,black,result", bad)
    _write_rows(folder / "bad-for-measure.csv", "white,black,result", [("Ann", "Ben", 1)])
    groups = ["ABCDEFGH", "KLMNO", "XY"]
    isles = [(*rng.sample(groups[rng.choice([0, 0, 0, 1, 2])], 2), rng.choice([0, 0.5, 1])) for _ in range(300)]
    _write_rows(folder / "islands.csv", "white,black,result", isles)


def write_races(folder: Path) -> None:
    """200 races of two to six of eight drivers, with what they won."""
    rng = Random(3)
    rows: list[tuple[object, ...]] = []
    for race in range(200):
        drivers = rng.sample(range(8), rng.randint(2, 6))
        drivers.sort(key=lambda driver: -(0.4 * driver - math.log(-math.log(rng.random()))))
        rows += [
            (race, 2000 + race // 10, "ABCDEFGH"[driver], place, (len(drivers) - place) * 10 or "")
            for place, driver in enumerate(drivers, 1)
        ]
    _write_rows(folder / "races.csv", "race,date,player,place,won", rows)
    (folder / "prizes.csv").write_text("place,prize\n1,8\n2,5\n3,1\n")


def write_dice(folder: Path) -> None:
    """Scores of tables of four, which a strong start helps; with and without that start."""
    rng = Random(4)
    rows: list[tuple[object, ...]] = []
    for match in range(80):
        for player in rng.sample(range(6), 4):
            start = rng.uniform(50, 250)
            score = 500 + 20 * player + 2 * start + rng.gauss(0, 40)
            rows.append((match, f"Dicer {player}", round(score, 1), round(start, 2)))
    _write_rows(folder / "dice.csv", "match,player,score,position", rows)
    _write_rows(folder / "scores.csv", "match,player,score", [row[:3] for row in rows])


def write_season(folder: Path) -> None:
    """Series of Skat of twelve players, tables of three and four, with teams and a rating list."""
    rng = Random(6)
    rows: list[tuple[object, ...]] = []
    for number in range(120):
        size = 4 if number % 4 == 3 else 3
        for player in rng.sample(range(12), size):
            score = round(600 + 54 * player + rng.gauss(0, 300))
            rows.append(
                (f"{1 + number % 28}.{1 + number // 28}.2024", number + 1, f"Spieler-{player:02d}", score, 12 * size)
            )
    _write_rows(folder / "season.csv", "Datum;Serie;Spieler;Leistung;Spiele", rows, ";")
    teams = [(f"Spieler-{k:02d}", "Pik" if k % 2 else "Herz") for k in range(12)]
    _write_rows(folder / "teams.csv", "Spieler;Mannschaft", teams, ";")
    _write_rows(folder / "standing.csv", "player,rating", [(f"Spieler-{k:02d}", 700 + 30 * k) for k in range(12)])


def write_skat_lists(folder: Path) -> None:
    """Score lists game by game in both languages, results of a table of four, and a log of xskat."""
    (folder / "four.csv").write_text(
        "Serie;Spieler;Spielpunkte;gewonnen;verloren\n1;A;492;12;0\n1;B;628;12;2\n1;C;660;10;1\n1;D;-32;6;5\n"
    )
    (folder / "list.csv").write_text(
        "series,game,player_1,player_2,player_3,declarer,contract,matadors,eyes,bid,points\n"
        "Friday,1,Ann,Ben,Cem,Ann,D,1,75,22,-54\nFriday,2,Ann,Ben,Cem,Ben,C,2,61,18,36\n"
        "Friday,3,Ann,Ben,Cem,,,,,,\nFriday,4,Ann,Ben,Cem,Cem,G,4,70,18,96\n"
    )
    (folder / "liste.csv").write_text(
        "Serie;Spieler 1;Spieler 2;Spieler 3;Spieler 4;Alleinspieler;Ansage;Spitzen;Schneider;gewonnen;Punkte\n"
        "5;Jörg;Uwe;Ina;Eva;Jörg;Kreuz Hand;ohne 3;ja;ja;72\n5;Jörg;Uwe;Ina;Eva;Eva;Grand;mit 2;nein;nein;-144\n"
        "5;Jörg;Uwe;Ina;Eva;Uwe;Null Ouvert;;;ja;46\n5;Jörg;Uwe;Ina;Eva;;eingepasst;;;;0\n",
        encoding="utf-8",
    )
    (folder / "house.csv").write_text(
        "series,player_1,player_2,player_3,declarer,contract,matadors,won,kontra,re,ramsch,points\n"
        "1,A,B,C,A,S,1,yes,x,x,,88\n1,A,B,C,B,,,,,,x,-70\n"
    )
    (folder / "xskat.log").write_text(_XSKAT)


_XSKAT = """\
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


def write_skat_records(folder: Path, real: Path) -> None:
    """Real records played once more at four tables: enough for full lists; and one file with a damaged record."""
    records = [line for line in real.read_text(encoding="utf-8").splitlines() if line.startswith("(;GM[Skat]")]
    rng, lines = Random(8), []
    tables = (("Ann", "Ben", "Cem"), ("Dora", "Ben", "Ann"), ("Cem", "Dora", "Emil"), ("Emil", "xskat:2", "Ann"))
    for table, names in enumerate(tables, 1):
        for game in range(90):
            lines.append(_seat_anew(rng.choice(records), table, game, [names[(game + seat) % 3] for seat in range(3)]))
    (folder / "games.sgf.bz2").write_bytes(bz2.compress(("\n".join(lines) + "\n").encode()))
    (folder / "damaged.sgf").write_text("\n".join([*lines[:40], "(;GM[Skat]PC[x"]) + "\n", encoding="utf-8")


def _seat_anew(record: str, table: int, game: int, names: Sequence[str]) -> str:
    number = 100 * table + game
    changed = {
        "SE": str(table),
        "ID": str(number),
        "DT": f"2020-01-{table:02d}/{10 + game // 60}:{game % 60:02d}:00/UTC",
    }
    changed |= {f"P{seat}": name for seat, name in enumerate(names)}
    for key, value in changed.items():
        record = re.sub(rf"(?<![A-Z]){key}\[[^\]]*\]", f"{key}[{value}]", record, count=1)
    return record


def write_evaluations(folder: Path) -> None:
    """Evaluations of games of ten players whose losses grow as their ratings fall, in two events."""
    rng = Random(9)
    rows: list[tuple[object, ...]] = []
    pairs = [(one, other) for one in range(10) for other in range(10) if one != other]
    for game, pair in enumerate(pairs, 1):
        event = "London" if sum(pair) % 2 else "Moscow"
        level = 0
        rows.append((game, 0, "", 0, event, ""))
        for ply in range(1, 41):
            who = pair[(ply + 1) % 2]
            loss = int(rng.expovariate(1 / (60 - 4 * who))) if rng.random() < 0.95 - 0.04 * who else 0
            level += -loss if ply % 2 else loss
            rows.append((game, ply, f"P{who}", level / 100, event, 1500 + 100 * who))
    _write_rows(folder / "evaluations.csv", "game,ply,player,evaluation,event,rating", rows)


def write_lines(folder: Path) -> None:
    """Evaluations with the engine's two best moves, of which one player takes the worse more often."""
    rng = Random(10)
    rows: list[tuple[object, ...]] = []
    for game in range(1, 9):
        level, mover = 0, ""
        for ply in range(81):
            gap = rng.randint(2, 120)
            worse = level + (gap if ply % 2 else -gap)
            best = rng.random() < (0.6 if ply % 2 else 0.85) + gap / 1200
            choice = 0 if ply == 80 else 1 if best else 2
            rating = "" if not mover else 2000 if mover == "Ann" else 1800
            rows.append((game, ply, mover, level / 100, "Club", rating, level / 100, worse / 100, choice))
            level = max(-190, min(190, level if best else worse))
            mover = "Ben" if ply % 2 else "Ann"
    _write_rows(folder / "lines.csv", "game,ply,player,evaluation,event,rating,best,second,choice", rows)


def write_chess_games(folder: Path) -> None:
    """Fifteen openings of three players."""
    openings = (
        "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7",
        "1. d4 d5 2. c4 e6 3. Nc3 Nf6 4. Bg5 Be7 5. e3 O-O",
        "1. c4 e5 2. Nc3 Nf6 3. g3 d5 4. cxd5 Nxd5 5. Bg2 Nb6",
        "1. e4 c5 2. Nf3 d6 3. d4 cxd4 4. Nxd4 Nf6 5. Nc3 a6",
        "1. e4 e5 2. Qh5 Nc6 3. Bc4 Nf6 4. Qxf7#",
    )
    ratings = {"Ann": 2000, "Ben": 1900, "Cid": 1850}
    names = list(ratings)
    games = []
    for k in range(15):
        white, black, result = names[k % 3], names[(k + 1) % 3], "1-0" if k % 5 == 4 else "1/2-1/2"
        tags = {"Event": "Club", "White": white, "Black": black, "Result": result}
        tags |= {"WhiteElo": str(ratings[white]), "BlackElo": str(ratings[black])}
        games.append("".join(f'[{key} "{value}"]\n' for key, value in tags.items()) + f"\n{openings[k % 5]} {result}\n")
    (folder / "games.pgn").write_text("\n".join(games))
    (folder / "moves.txt").write_text("e4 e5\n2. Qh5 Nc6\nf1c4 Nf6 Qxf7#\n")


def write_backgammon(folder: Path) -> None:
    """A match to one point, the same for money, and one that is not over."""
    text = (
        '; [Site "by hand"]\n\n 1 point match\n\n Game 1\n Ann : 0                        Ben : 0\n'
        "  1) 31: 8/5 6/5                 31: 24/23 13/10\n"
        "  2) 42: 8/4 6/4                 66: 23/17 13/7 13/7 8/2\n      Wins 1 point\n"
    )
    (folder / "final.mat").write_text(text)
    (folder / "session.mat").write_text(text.replace(" 1 point match", " 0 point match").replace("Ann", "Cleo"))
    (folder / "early.mat").write_text(text.replace("      Wins 1 point\n", ""))


def write_rating_list(folder: Path) -> None:
    """Ratings of 600 players."""
    rng = Random(11)
    rows = [(k, round(1500 + rng.gauss(0, 200) + rng.expovariate(0.01), 3)) for k in range(600)]
    _write_rows(folder / "ratings.csv", "player,rating", rows)


def write_refused(folder: Path) -> None:
    """Files that no command takes."""
    folder.mkdir()
    contents = {
        "empty.csv": b"",
        "header.csv": b"white,black,result\n",
        "columns.csv": b"a,b,c\n1,2,3\n",
        "himself.csv": b"white,black,result\nAnn,Ann,1\n",
        "seven.csv": b"white,black,result\nAnn,Ben,7\n",
        "abc.csv": b"white,black,result\nAnn,Ben,abc\n",
        "names.csv": b"white,black,result\n,Ben,1\n",
        "ragged.csv": b"white,black,result\nAnn,Ben\nAnn,Ben,1,2\n",
        "random.parquet": bytes(range(255, -1, -1)) * 50,
        "ratings.csv": b"player,rating\nAnn,1500\nBen,none\nCem,\nDan,1600\n",
        "series.csv": b"series,player,score\n1,A,900\n1,B,x\n1,C,3\n",
        "list.csv": b"series,declarer,contract,matadors,eyes,points,won\n1,A,,,,24,\n1,B,,,,many,\n1,C,,,,24,\n",
        "wrong.pgn": b'[White "Ann"]\n[Black "Ben"]\n\n1. e5 e4 *\n',
    }
    for name, content in contents.items():
        (folder / name).write_bytes(content)


# Comparing


@dataclass
class Found:
    """What is not alike in a case, as lines to print."""

    different: list[str] = field(default_factory=list)
    words: list[str] = field(default_factory=list)
    added: list[str] = field(default_factory=list)
    largest: float = 0.0
    """Largest relative difference of two numbers."""


def compare(before: Path, after: Path, pattern: str | None) -> dict[str, Found]:
    """All cases of the first set, held against the second."""
    names = sorted(path.stem for path in before.glob("*.status"))
    chosen = [name for name in names if pattern is None or fnmatch.fnmatch(name, pattern)]
    return {name: compare_case(name, before, after) for name in chosen}


def compare_case(name: str, before: Path, after: Path) -> Found:
    """One case: its status, what it printed, and the files that it wrote."""
    found, is_help = Found(), name in {case.name for case in read_cases() if case.group == "help"}
    ours, theirs = (
        {path.name: path for path in folder.glob(f"{name}.*") if path.suffix != ".seconds"}
        for folder in (before, after)
    )
    if not theirs:
        found.different.append("the case is not there")
        return found
    for file in sorted(ours):
        part = file.removeprefix(f"{name}.")
        if file in theirs:
            before_it, after_it = ours[file].read_bytes(), theirs[file].read_bytes()
            compare_files("help" if is_help and part == "stdout" else part, before_it, after_it, found)
        else:
            found.different.append(f"{file} is not there")
    found.added += [f"file {file}" for file in theirs.keys() - ours.keys()]
    return found


def compare_files(part: str, before: bytes, after: bytes, found: Found) -> None:
    """Two files of a case, by what they are."""
    if before == after:
        return
    suffix = Path(f"x.{part}").suffix
    if part == "status":
        found.different.append(f"exit status {before.decode().strip()} became {after.decode().strip()}")
    elif part in ("stderr", "help"):
        found.words += _changed_lines(part, before.decode(), after.decode())
    elif suffix == ".json":
        _compare_documents(part, before.decode(), after.decode(), found)
    elif suffix in (".stdout", ".html", ".svg"):
        _compare_texts(part, _visible(before.decode(), suffix), _visible(after.decode(), suffix), found)
    else:
        found.different.append(f"{part}: {len(before):,} bytes became {len(after):,}, or others")


def _compare_documents(part: str, before: str, after: str, found: Found) -> None:
    ours, theirs = _documents(before), _documents(after)
    if ours is None or theirs is None or len(ours) != len(theirs):
        found.different.append(f"{part}: no JSON, or another number of documents")
        return
    for one, other in zip(ours, theirs, strict=True):
        _compare_values(one, other, "", found)


def _compare_values(before: Any, after: Any, path: str, found: Found) -> None:
    """Any two values of JSON, with all in them."""
    if path.endswith(_FREE) and type(before) is type(after):
        return
    if isinstance(before, dict) and isinstance(after, dict):
        for key, value in before.items():
            if key in after:
                _compare_values(value, after[key], f"{path}.{key}".lstrip("."), found)
            else:
                found.different.append(f"{path}.{key} is gone")
        found.added += [f"{path}.{key}".lstrip(".") for key in after if key not in before]
    elif isinstance(before, list) and isinstance(after, list):
        _compare_lists(before, after, path, found)
    elif isinstance(before, str) and isinstance(after, str):
        if before != after:
            told = found.words if _is_worded(path) else found.different
            told.append(f"{path}: {before!r} became {after!r}")
    elif _is_number(before) and _is_number(after):
        if before != after:
            found.largest = max(found.largest, abs(before - after) / max(abs(before), abs(after)))
            found.different.append(f"{path}: {before!r} became {after!r}")
    elif before != after or type(before) is not type(after):
        found.different.append(f"{path}: {_short(before)} became {_short(after)}")


def _compare_lists(before: list[Any], after: list[Any], path: str, found: Found) -> None:
    """Item by item; what a schema allows or requires may grow."""
    if path.rpartition(".")[2] in ("required", "enum") and all(isinstance(item, str) for item in before + after):
        found.different += [f"{path}: {item!r} is gone" for item in before if item not in after]
        found.added += [f"{path}: {item!r}" for item in after if item not in before]
    elif len(before) != len(after):
        found.different.append(f"{path}: {len(before)} items became {len(after)}")
    else:
        for place, (one, other) in enumerate(zip(before, after, strict=True)):
            _compare_values(one, other, f"{path}.{place}", found)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_worded(path: str) -> bool:
    """Whether a string is there to be read, and no value such as a player, a time or an answer."""
    parts = [part for part in path.split(".") if not part.isdecimal()]
    if not parts or "absent" in parts:
        return True
    return parts[-1] in _WORDS or (parts[0] in _SCHEMA_STARTS and parts[-1] in _SCHEMA_WORDS)


def _visible(text: str, suffix: str) -> str:
    """What a reader of a text, page or chart sees, and the tables that a page offers."""
    if suffix == ".stdout":
        return _VERSION.sub("ludometer", text)
    offered = [base64.b64decode(data).decode("utf-8", "replace") for data in _DOWNLOAD.findall(text)]
    shown = re.sub(r"\n\s*", "\n", html.unescape(_TAG.sub("\n", text)))
    return _VERSION.sub("ludometer", "\n".join([shown, *offered]))


def _compare_texts(part: str, before: str, after: str, found: Found) -> None:
    """Two texts: other numbers are a difference, other words are words."""
    lines = _changed_lines(part, before, after)
    if _NUMBER.findall(before) != _NUMBER.findall(after):
        found.different += lines
    else:
        found.words += lines


def _changed_lines(part: str, before: str, after: str) -> list[str]:
    changes = difflib.unified_diff(before.splitlines(), after.splitlines(), lineterm="", n=0)
    return [f"{part} {line}" for line in changes if not line.startswith(("---", "+++", "@@"))]


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 80 else f"{text[:77]}..."


def report(cases: dict[str, Found], shown: int) -> Iterator[str]:
    """What differs, case by case, and the table."""
    for name, found in cases.items():
        for kind, lines in (("DIFFERENT", found.different), ("words", found.words), ("added", found.added)):
            if lines:
                yield f"{name}: {kind} ({len(lines)})"
                yield from (f"    {line}" for line in lines[:shown])
                if len(lines) > shown:
                    yield f"    and {len(lines) - shown} more"
    different = [name for name, found in cases.items() if found.different]
    alike = [found for found in cases.values() if not found.different]
    counts = {
        "cases": len(cases),
        "equal": sum(not found.words and not found.added for found in alike),
        "equal, words changed": sum(bool(found.words) for found in alike),
        "equal, keys added": sum(bool(found.added) for found in alike),
        "different": len(different),
    }
    yield ""
    yield from (f"{name:22}{count:6,}" for name, count in counts.items())
    largest = max((found.largest for found in cases.values()), default=0.0)
    if largest:
        yield f"largest relative difference of a number: {largest:.3g}"


# The command line


def main() -> None:
    """Capture a set of outputs, or compare two."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    commands = parser.add_subparsers(dest="command", required=True)
    taking = commands.add_parser("capture", help="run the cases and keep what they answer")
    taking.add_argument("--program", type=Path, required=True, help="the program ludometer")
    taking.add_argument("--out", type=Path, required=True, help="folder to keep the outputs in")
    taking.add_argument("--only", metavar="PATTERN", help="cases of such a name, such as 'rate-*', and what they need")
    taking.add_argument("--shared", type=Path, default=os.environ.get("LUDOMETER_SHARED"), help="folder of real data")
    comparing = commands.add_parser("compare", help="compare two sets")
    comparing.add_argument("before", type=Path)
    comparing.add_argument("after", type=Path)
    comparing.add_argument("--only", metavar="PATTERN", help="cases of such a name")
    comparing.add_argument("--show", type=int, default=8, metavar="N", help="lines of each kind for each case")
    options = parser.parse_args()
    if options.command == "capture":
        if options.shared is None:
            parser.error("LUDOMETER_SHARED names no folder of real data")
        capture(options.program.absolute(), options.out, choose(read_cases(), options.only), options.shared.absolute())
        return
    cases = compare(options.before, options.after, options.only)
    print("\n".join(report(cases, options.show)))
    sys.exit(any(found.different for found in cases.values()) or not cases)


if __name__ == "__main__":
    main()
