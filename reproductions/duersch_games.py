"""The records behind the tables of Duersch et al.: real ones, simulated ones, and who has those that are missing."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ludometer.matches import Matches
from ludometer.measurement.as_printed import measure_mixed_persistence
from ludometer.measurement.spread import Persistence, mean_rating_difference, measure_persistence, measure_spread
from ludometer.players import Players
from ludometer.ratings.prizes import WINNER, Prizes
from ludometer.ratings.systems.best_fit import fit_best_elo
from ludometer.read import read_matches
from ludometer.selection import keep_connected
from ludometer.simulate import mix, simulate_deterministic
from reproductions.cells import Basis
from reproductions.sources import Sources

CUTOFFS = (25, 1, 100)
SEEDS = 20
MIXES = 5
COLUMNS = ("sd", "min", "q01", "q99", "max", "p_sd", "p_1_99", "rep")

_PLATFORM = "the log of a European gaming platform, which its authors were given and which is not public"
_POKER = "tournaments bought from HH Smithy, a commercial provider"
_WHO_HAS = {
    "Go": "games of online-go.com, github.com/gto76/online-go-games at 9fe78d5 (19x19, no handicap, komi 6.5, Japanese "
    "rules), not at hand here",
    "Tennis": "tennis_atp_1968_2017.parquet of the shared data",
    "Chess": "chess_twic.parquet of the shared data; the paper's own is ChessBase, a commercial collection",
    "50% Chess": "chess_twic.parquet of the shared data; the paper's own is ChessBase, a commercial collection",
}
_TWIC = "not fast and date >= '2000-01-01' and date <= '2016-12-31'"


@dataclass(frozen=True)
class Measured:
    """What the tables ask of one record."""

    basis: Basis
    players: int
    regulars: int
    matches: int
    max_matches: int
    k: float
    loss: float
    loss_at_zero: float
    spread: dict[int, dict[str, float]]
    """Cutoff → the columns of Tables 2, 5 and 6; p_sd and p_1_99 in percent."""
    difference: float
    persistence: Persistence


@dataclass(frozen=True)
class Simulated:
    """Mean and SD over games of the columns of Table 9."""

    mean: dict[str, float]
    sd: dict[str, float]


def missing(game: str) -> str:
    """Which record it would take."""
    if game.startswith("Poker"):
        return f"needs {_POKER}"
    return f"needs {_WHO_HAS.get(game, _PLATFORM)}"


def measure_game(game: str, sources: Sources) -> Measured | None:
    """A game of the paper, from the user's file if there is one, else from the shared data, else None."""
    return sources.once(f"game {game}", lambda: _measure_game(game, sources))


def _measure_game(game: str, sources: Sources) -> Measured | None:
    if game in sources.files:
        own = keep_connected(read_matches(sources.files[game])).matches
        return _measure(own, "data", sources.prizes)
    if game == "Tennis":
        tennis = sources.matches("tennis_atp_1968_2017.parquet")
        return None if tennis is None else _measure(tennis, "later")
    chess = _chess(sources) if game in ("Chess", "50% Chess") else None
    if chess is None:
        return None
    basis = chess_basis(sources)
    return _measure(chess, basis) if game == "Chess" else _measure_mixed(chess, basis)


def chess_basis(sources: Sources) -> Basis:
    """Whether chess is the user's own record or that of the shared data."""
    return "data" if "Chess" in sources.files else "other"


def _chess(sources: Sources) -> Matches | None:
    if "Chess" in sources.files:
        return sources.once("chess", lambda: keep_connected(read_matches(sources.files["Chess"])).matches)
    return sources.once("chess", lambda: sources.matches("chess_twic.parquet", where=_TWIC))


def _measure(matches: Matches, basis: Basis, prizes: Prizes = WINNER) -> Measured:
    fit = fit_best_elo(matches, procedure="printed", prizes=prizes)
    counts = matches.counts
    return Measured(
        basis=basis,
        players=len(matches.players),
        regulars=int((counts >= 25).sum()),
        matches=len(matches),
        max_matches=int(counts.max()),
        k=fit.k,
        loss=fit.loss,
        loss_at_zero=fit.loss_at_zero,
        spread={cutoff: _columns(matches, fit.rating, cutoff) for cutoff in CUTOFFS},
        difference=mean_rating_difference(matches, k=fit.k, prizes=prizes),
        persistence=measure_persistence(matches, prizes=prizes),
    )


def _measure_mixed(chess: Matches, basis: Basis) -> Measured:
    """Half of chess, the other half coins: means over a few mixtures."""
    games = [_measure(mix(chess, 50, seed=seed), basis) for seed in range(MIXES)]

    def mean(name: str) -> float:
        return float(np.mean([getattr(game, name) for game in games]))

    spread = {}
    for cutoff in CUTOFFS:
        found = {name: [game.spread[cutoff][name] for game in games] for name in games[0].spread[cutoff]}
        spread[cutoff] = {name: float(np.mean(values)) for name, values in found.items()}
        spread[cutoff]["rep"] = float(np.median(found["rep"]))
    first = games[0]
    return Measured(
        basis, first.players, first.regulars, first.matches, first.max_matches, mean("k"), mean("loss"),
        mean("loss_at_zero"), spread, mean("difference"), measure_mixed_persistence(chess, 50, seed=0),
    )  # fmt: skip


def _columns(matches: Matches, rating: np.ndarray[tuple[int], np.dtype[np.float64]], cutoff: int) -> dict[str, float]:
    spread = measure_spread(rating, matches.counts, min_matches=cutoff)
    found = {name: getattr(spread, name) for name in COLUMNS}
    found |= {name: 100 * found[name] for name in ("p_sd", "p_1_99")}
    return {name: float(value) for name, value in found.items()} | {"n": float(spread.n)}


def simulate_share(x: int, sources: Sources) -> Simulated:
    """The game that is x % deterministic, with 1,000 players and 50,000 matches, many times."""
    return sources.once(f"deterministic {x}", lambda: _simulate_share(x))


def _simulate_share(x: int) -> Simulated:
    runs = []
    for seed in range(SEEDS):
        game = simulate_deterministic(1000, 50_000, x=x, seed=seed)
        runs.append(_columns(game, fit_best_elo(game).rating, 1))
    values = {name: [run[name] for run in runs] for name in COLUMNS}
    mean = {name: float(np.mean(found)) for name, found in values.items()}
    mean["rep"] = float(np.median(values["rep"]))
    return Simulated(mean, {name: float(np.std(found, ddof=1)) for name, found in values.items()})


def simulate_chance(n_players: int, n_regulars: int, n_matches: int) -> dict[str, list[float]]:
    """SDs of best-fit ratings, all players and regulars, of coins on schedules of this size."""
    share = _activity(n_players, n_regulars, n_matches)
    found: dict[str, list[float]] = {"sd_all": [], "sd_regulars": []}
    for seed in range(SEEDS):
        rng = np.random.default_rng(seed)
        first, second = (rng.choice(n_players, n_matches, p=share) for _ in range(2))
        while (same := np.flatnonzero(first == second)).size:
            second[same] = rng.choice(n_players, same.size, p=share)
        coins = Matches.of_pairs(first, second, rng.integers(0, 2, n_matches), players=Players.numbered(n_players))
        rating = fit_best_elo(coins).rating
        found["sd_all"].append(float(rating[coins.counts > 0].std(ddof=1)))
        found["sd_regulars"].append(float(rating[coins.counts >= 25].std(ddof=1)))
    return found


def _activity(n_players: int, n_regulars: int, n_matches: int) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Shares of the seats, log-normal, with as many players of 25 matches or more as printed.

    Two widths give that number, a narrow and a wide one; real activity is wide.
    """
    from scipy.optimize import brentq
    from scipy.stats import norm, poisson

    z = norm.ppf((np.arange(n_players) + 0.5) / n_players)

    def share(width: float) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
        weight = np.exp(width * z)
        return np.asarray(weight / weight.sum())

    def excess(width: float) -> float:
        return float(np.sum(poisson.sf(24, 2 * n_matches * share(width)))) - n_regulars

    widths = np.linspace(0.05, 4, 80)
    signs = np.sign([excess(width) for width in widths])
    last = int(np.flatnonzero(np.diff(signs))[-1])
    return share(float(brentq(excess, widths[last], widths[last + 1])))


def measure_bounded(sources: Sources) -> dict[str, float] | None:
    """50%-chess with the expectation of footnote 34, which lies between a quarter and three."""
    chess = _chess(sources)
    if chess is None:
        return None
    half = mix(chess, 50, seed=0)
    fit = fit_best_elo(half, share=0.5)
    spread = measure_spread(fit.rating, half.counts, min_matches=25, share=0.5)
    assert spread.p_sd is not None
    assert spread.p_1_99 is not None
    return {"p_sd": 100 * spread.p_sd, "p_1_99": 100 * spread.p_1_99}


def measure_quarter(sources: Sources) -> float | None:
    """The SD of regulars in 25%-chess."""
    chess = _chess(sources)
    if chess is None:
        return None
    quarter = mix(chess, 25, seed=0)
    return measure_spread(fit_best_elo(quarter).rating, quarter.counts, min_matches=25).sd
