"""Skat: cards, the value of a game, the score of a series, chances of winning, the luck of the cards, seasons."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

_HOMES = {
    "count_eyes": "rules.cards",
    "count_matadors": "rules.cards",
    "deal": "rules.cards",
    "format_cards": "rules.cards",
    "parse_cards": "rules.cards",
    "ChanceFactors": "luck.chance",
    "correct_records": "luck.chance",
    "hand_quotient": "luck.chance",
    "DealValue": "luck.deal_value",
    "fit_deal_value": "luck.deal_value",
    "DeclaredGames": "luck.features",
    "count_stegen": "luck.features",
    "FittedModel": "luck.fitting",
    "fit_on_records": "luck.fitting",
    "Fixpoints": "fixpoints",
    "study_fixpoints": "fixpoints",
    "Contract": "rules.games",
    "GameScore": "rules.games",
    "score_game": "rules.games",
    "score_games": "rules.games",
    "HouseRules": "rules.house_rules",
    "correct_lists": "luck.list_chance",
    "parse_factors": "luck.list_chance",
    "gather_lists": "rules.lists",
    "PairedReplays": "programs.paired",
    "compare_counts": "programs.paired",
    "compare_replays": "programs.paired",
    "read_replays": "programs.paired",
    "award_titles": "seasons",
    "loss_money": "seasons",
    "season_table": "seasons",
    "team_table": "seasons",
    "Placement": "sensitivity",
    "Sensitivity": "sensitivity",
    "choose_step_and_start": "sensitivity",
    "measure_sensitivity": "sensitivity",
    "SeriesResults": "rules.series",
    "score_series": "rules.series",
    "score_table": "rules.series",
    "seeger_score": "rules.series",
    "WinningModel": "luck.winning",
    "default_model": "luck.winning",
    "fit_winning": "luck.winning",
}

if TYPE_CHECKING:
    from ludometer.skat.fixpoints import Fixpoints as Fixpoints
    from ludometer.skat.fixpoints import study_fixpoints as study_fixpoints
    from ludometer.skat.luck.chance import ChanceFactors as ChanceFactors
    from ludometer.skat.luck.chance import correct_records as correct_records
    from ludometer.skat.luck.chance import hand_quotient as hand_quotient
    from ludometer.skat.luck.deal_value import DealValue as DealValue
    from ludometer.skat.luck.deal_value import fit_deal_value as fit_deal_value
    from ludometer.skat.luck.features import DeclaredGames as DeclaredGames
    from ludometer.skat.luck.features import count_stegen as count_stegen
    from ludometer.skat.luck.fitting import FittedModel as FittedModel
    from ludometer.skat.luck.fitting import fit_on_records as fit_on_records
    from ludometer.skat.luck.list_chance import correct_lists as correct_lists
    from ludometer.skat.luck.list_chance import parse_factors as parse_factors
    from ludometer.skat.luck.winning import WinningModel as WinningModel
    from ludometer.skat.luck.winning import default_model as default_model
    from ludometer.skat.luck.winning import fit_winning as fit_winning
    from ludometer.skat.programs.paired import PairedReplays as PairedReplays
    from ludometer.skat.programs.paired import compare_counts as compare_counts
    from ludometer.skat.programs.paired import compare_replays as compare_replays
    from ludometer.skat.programs.paired import read_replays as read_replays
    from ludometer.skat.rules.cards import count_eyes as count_eyes
    from ludometer.skat.rules.cards import count_matadors as count_matadors
    from ludometer.skat.rules.cards import deal as deal
    from ludometer.skat.rules.cards import format_cards as format_cards
    from ludometer.skat.rules.cards import parse_cards as parse_cards
    from ludometer.skat.rules.games import Contract as Contract
    from ludometer.skat.rules.games import GameScore as GameScore
    from ludometer.skat.rules.games import score_game as score_game
    from ludometer.skat.rules.games import score_games as score_games
    from ludometer.skat.rules.house_rules import HouseRules as HouseRules
    from ludometer.skat.rules.lists import gather_lists as gather_lists
    from ludometer.skat.rules.series import SeriesResults as SeriesResults
    from ludometer.skat.rules.series import score_series as score_series
    from ludometer.skat.rules.series import score_table as score_table
    from ludometer.skat.rules.series import seeger_score as seeger_score
    from ludometer.skat.seasons import award_titles as award_titles
    from ludometer.skat.seasons import loss_money as loss_money
    from ludometer.skat.seasons import season_table as season_table
    from ludometer.skat.seasons import team_table as team_table
    from ludometer.skat.sensitivity import Placement as Placement
    from ludometer.skat.sensitivity import Sensitivity as Sensitivity
    from ludometer.skat.sensitivity import choose_step_and_start as choose_step_and_start
    from ludometer.skat.sensitivity import measure_sensitivity as measure_sensitivity

__all__ = [
    "ChanceFactors",
    "Contract",
    "DealValue",
    "DeclaredGames",
    "FittedModel",
    "Fixpoints",
    "GameScore",
    "HouseRules",
    "PairedReplays",
    "Placement",
    "Sensitivity",
    "SeriesResults",
    "WinningModel",
    "award_titles",
    "choose_step_and_start",
    "compare_counts",
    "compare_replays",
    "correct_lists",
    "correct_records",
    "count_eyes",
    "count_matadors",
    "count_stegen",
    "deal",
    "default_model",
    "fit_deal_value",
    "fit_on_records",
    "fit_winning",
    "format_cards",
    "gather_lists",
    "hand_quotient",
    "loss_money",
    "measure_sensitivity",
    "parse_cards",
    "parse_factors",
    "read_replays",
    "score_game",
    "score_games",
    "score_series",
    "score_table",
    "season_table",
    "seeger_score",
    "study_fixpoints",
    "team_table",
]


def __getattr__(name: str) -> Any:
    """Load a public name with its module when it is first used: words and cards need no ratings."""
    if name in _HOMES:
        import importlib

        return getattr(importlib.import_module(f"ludometer.skat.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'ludometer.skat' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOMES])
