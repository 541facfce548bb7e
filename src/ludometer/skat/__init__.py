"""Skat: cards, the value of a game, the score of a series, chances of winning, card luck, seasons."""

from typing import TYPE_CHECKING

from ludometer.lazy import load_on_use

if TYPE_CHECKING:
    from ludometer.skat.fixpoints import Fixpoints as Fixpoints
    from ludometer.skat.fixpoints import study_fixpoints as study_fixpoints
    from ludometer.skat.luck.deal_value import DealValue as DealValue
    from ludometer.skat.luck.deal_value import fit_deal_value as fit_deal_value
    from ludometer.skat.luck.factors import ChanceFactors as ChanceFactors
    from ludometer.skat.luck.factors import correct_lists as correct_lists
    from ludometer.skat.luck.factors import correct_records as correct_records
    from ludometer.skat.luck.factors import hand_quotient as hand_quotient
    from ludometer.skat.luck.factors import parse_factors as parse_factors
    from ludometer.skat.luck.features import DeclaredGames as DeclaredGames
    from ludometer.skat.luck.features import count_stegen as count_stegen
    from ludometer.skat.luck.winning import FittedModel as FittedModel
    from ludometer.skat.luck.winning import WinningModel as WinningModel
    from ludometer.skat.luck.winning import default_model as default_model
    from ludometer.skat.luck.winning import fit_on_records as fit_on_records
    from ludometer.skat.luck.winning import fit_winning as fit_winning
    from ludometer.skat.programs.same_deals import DealComparison as DealComparison
    from ludometer.skat.programs.same_deals import compare_counts as compare_counts
    from ludometer.skat.programs.same_deals import compare_deals as compare_deals
    from ludometer.skat.programs.same_deals import read_deals as read_deals
    from ludometer.skat.ratings import SkatRatings as SkatRatings
    from ludometer.skat.ratings import SkatSeries as SkatSeries
    from ludometer.skat.ratings import rate_skat as rate_skat
    from ludometer.skat.reading.any_file import read_skat_games as read_skat_games
    from ludometer.skat.reading.series_tables import read_series as read_series
    from ludometer.skat.rules.cards import count_eyes as count_eyes
    from ludometer.skat.rules.cards import count_matadors as count_matadors
    from ludometer.skat.rules.cards import deal_cards as deal_cards
    from ludometer.skat.rules.cards import format_cards as format_cards
    from ludometer.skat.rules.cards import parse_cards as parse_cards
    from ludometer.skat.rules.games import Contract as Contract
    from ludometer.skat.rules.games import GameScore as GameScore
    from ludometer.skat.rules.games import HouseRules as HouseRules
    from ludometer.skat.rules.games import score_game as score_game
    from ludometer.skat.rules.games import score_games as score_games
    from ludometer.skat.rules.series import SeriesResults as SeriesResults
    from ludometer.skat.rules.series import gather_lists as gather_lists
    from ludometer.skat.rules.series import score_series as score_series
    from ludometer.skat.rules.series import score_table as score_table
    from ludometer.skat.rules.series import seeger_score as seeger_score
    from ludometer.skat.seasons import award_titles as award_titles
    from ludometer.skat.seasons import compare_variants as compare_variants
    from ludometer.skat.seasons import loss_money as loss_money
    from ludometer.skat.seasons import season_table as season_table
    from ludometer.skat.seasons import team_table as team_table
    from ludometer.skat.sensitivity import Placement as Placement
    from ludometer.skat.sensitivity import Sensitivity as Sensitivity
    from ludometer.skat.sensitivity import choose_step_and_start as choose_step_and_start
    from ludometer.skat.sensitivity import measure_sensitivity as measure_sensitivity
    from ludometer.skat.sheets import ListRules as ListRules
    from ludometer.skat.sheets import SkatGames as SkatGames

__getattr__, __dir__ = load_on_use(__name__)
