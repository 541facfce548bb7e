"""Backgammon: skill and luck of matches, separated by GNU Backgammon."""

from typing import TYPE_CHECKING

from ludometer.lazy import load_on_use

if TYPE_CHECKING:
    from ludometer.backgammon.analysis import AnalysedMatch as AnalysedMatch
    from ludometer.backgammon.analysis import Evaluator as Evaluator
    from ludometer.backgammon.analysis import analyse_matches as analyse_matches
    from ludometer.backgammon.analysis import double_loss as double_loss
    from ludometer.backgammon.analysis import no_double_loss as no_double_loss
    from ludometer.backgammon.balance import balance_match as balance_match
    from ludometer.backgammon.balance import follow_match as follow_match
    from ludometer.backgammon.play import GradedPlayer as GradedPlayer
    from ludometer.backgammon.play import play_matches as play_matches
    from ludometer.backgammon.records import MatchRecord as MatchRecord
    from ludometer.backgammon.records import read_match_records as read_match_records
    from ludometer.backgammon.skill import SkillAndLuck as SkillAndLuck
    from ludometer.backgammon.skill import measure_backgammon as measure_backgammon

__getattr__, __dir__ = load_on_use(__name__)
