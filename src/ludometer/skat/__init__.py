"""Skat: cards, the value of a game, the score of a series, chances of winning, the luck of the cards, seasons."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

_HOMES = {
    "count_eyes": "cards",
    "count_matadors": "cards",
    "deal": "cards",
    "format_cards": "cards",
    "parse_cards": "cards",
    "ChanceFactors": "chance",
    "correct_records": "chance",
    "hand_quotient": "chance",
    "DealValue": "deal_value",
    "fit_deal_value": "deal_value",
    "DeclaredGames": "features",
    "count_stegen": "features",
    "FittedModel": "fitting",
    "fit_on_records": "fitting",
    "Fixpoints": "fixpoints",
    "study_fixpoints": "fixpoints",
    "Contract": "games",
    "GameScore": "games",
    "score_game": "games",
    "score_games": "games",
    "HouseRules": "house_rules",
    "correct_lists": "list_chance",
    "parse_factors": "list_chance",
    "gather_lists": "lists",
    "PairedReplays": "paired",
    "compare_counts": "paired",
    "compare_replays": "paired",
    "read_replays": "paired",
    "award_titles": "seasons",
    "loss_money": "seasons",
    "season_table": "seasons",
    "team_table": "seasons",
    "Placement": "sensitivity",
    "Sensitivity": "sensitivity",
    "choose_step_and_start": "sensitivity",
    "measure_sensitivity": "sensitivity",
    "SeriesResults": "series",
    "score_series": "series",
    "score_table": "series",
    "seeger_score": "series",
    "WinningModel": "winning",
    "default_model": "winning",
    "fit_winning": "winning",
}

if TYPE_CHECKING:
    from ludometer.skat.cards import count_eyes as count_eyes
    from ludometer.skat.cards import count_matadors as count_matadors
    from ludometer.skat.cards import deal as deal
    from ludometer.skat.cards import format_cards as format_cards
    from ludometer.skat.cards import parse_cards as parse_cards
    from ludometer.skat.chance import ChanceFactors as ChanceFactors
    from ludometer.skat.chance import correct_records as correct_records
    from ludometer.skat.chance import hand_quotient as hand_quotient
    from ludometer.skat.deal_value import DealValue as DealValue
    from ludometer.skat.deal_value import fit_deal_value as fit_deal_value
    from ludometer.skat.features import DeclaredGames as DeclaredGames
    from ludometer.skat.features import count_stegen as count_stegen
    from ludometer.skat.fitting import FittedModel as FittedModel
    from ludometer.skat.fitting import fit_on_records as fit_on_records
    from ludometer.skat.fixpoints import Fixpoints as Fixpoints
    from ludometer.skat.fixpoints import study_fixpoints as study_fixpoints
    from ludometer.skat.games import Contract as Contract
    from ludometer.skat.games import GameScore as GameScore
    from ludometer.skat.games import score_game as score_game
    from ludometer.skat.games import score_games as score_games
    from ludometer.skat.house_rules import HouseRules as HouseRules
    from ludometer.skat.list_chance import correct_lists as correct_lists
    from ludometer.skat.list_chance import parse_factors as parse_factors
    from ludometer.skat.lists import gather_lists as gather_lists
    from ludometer.skat.paired import PairedReplays as PairedReplays
    from ludometer.skat.paired import compare_counts as compare_counts
    from ludometer.skat.paired import compare_replays as compare_replays
    from ludometer.skat.paired import read_replays as read_replays
    from ludometer.skat.seasons import award_titles as award_titles
    from ludometer.skat.seasons import loss_money as loss_money
    from ludometer.skat.seasons import season_table as season_table
    from ludometer.skat.seasons import team_table as team_table
    from ludometer.skat.sensitivity import Placement as Placement
    from ludometer.skat.sensitivity import Sensitivity as Sensitivity
    from ludometer.skat.sensitivity import choose_step_and_start as choose_step_and_start
    from ludometer.skat.sensitivity import measure_sensitivity as measure_sensitivity
    from ludometer.skat.series import SeriesResults as SeriesResults
    from ludometer.skat.series import score_series as score_series
    from ludometer.skat.series import score_table as score_table
    from ludometer.skat.series import seeger_score as seeger_score
    from ludometer.skat.winning import WinningModel as WinningModel
    from ludometer.skat.winning import default_model as default_model
    from ludometer.skat.winning import fit_winning as fit_winning

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
