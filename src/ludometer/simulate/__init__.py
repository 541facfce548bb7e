"""Things that produce `Matches`: simulated games with known truth."""

from typing import TYPE_CHECKING

from ludometer.lazy import load_on_use

if TYPE_CHECKING:
    from ludometer.simulate.benchmarks import DeterministicGame as DeterministicGame
    from ludometer.simulate.benchmarks import coin_on as coin_on
    from ludometer.simulate.benchmarks import deterministic_on as deterministic_on
    from ludometer.simulate.benchmarks import mix as mix
    from ludometer.simulate.benchmarks import simulate_deterministic as simulate_deterministic
    from ludometer.simulate.curve_game import CurveGame as CurveGame
    from ludometer.simulate.curve_game import simulate_on_curve as simulate_on_curve
    from ludometer.simulate.league import League as League
    from ludometer.simulate.league import LeagueGame as LeagueGame
    from ludometer.simulate.league import LeagueHistory as LeagueHistory
    from ludometer.simulate.league import simulate_league as simulate_league
    from ludometer.simulate.markov import MarkovGame as MarkovGame
    from ludometer.simulate.mistakes import MoveGame as MoveGame
    from ludometer.simulate.mistakes import simulate_moves as simulate_moves
    from ludometer.simulate.mistakes import win_by_moves as win_by_moves
    from ludometer.simulate.strengths import StrengthGame as StrengthGame
    from ludometer.simulate.strengths import simulate_coin as simulate_coin
    from ludometer.simulate.strengths import simulate_strengths as simulate_strengths

__getattr__, __dir__ = load_on_use(__name__)
