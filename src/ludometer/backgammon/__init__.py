"""Backgammon: skill and luck of matches apart, by GNU Backgammon."""

from ludometer.backgammon.balance import balance_match, follow_match
from ludometer.backgammon.matches import AnalysedMatch, Evaluator, MatchRecord, analyse_matches
from ludometer.backgammon.play import GradedPlayer, play_matches
from ludometer.backgammon.skill import SkillAndLuck, measure_backgammon

__all__ = [
    "AnalysedMatch",
    "Evaluator",
    "GradedPlayer",
    "MatchRecord",
    "SkillAndLuck",
    "analyse_matches",
    "balance_match",
    "follow_match",
    "measure_backgammon",
    "play_matches",
]
