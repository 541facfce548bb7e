from pathlib import Path

import numpy as np
import pytest
from scipy.stats import binomtest

from ludometer.errors import LudometerError, MatchDataError
from ludometer.skat.programs.same_deals import compare_counts, compare_deals, mcnemar, read_deals

TABLE_VI = [4080, 4132, 297, 4768, 5273, 9442, 1085, 52820]
"""Edelkamp: games by lost and won of people, solver and program, the program's result changing fastest."""


def test_the_papers_table_gives_its_totals_and_the_program_wins_more() -> None:
    result = compare_counts(["human", "glassbox", "program"], TABLE_VI)
    assert result.won["human"] == 68620
    assert result.won["program"] == 71162
    assert result.counts.sum() == 81897
    pair = next(c for c in result.comparisons if (c.first, c.second) == ("human", "program"))
    assert (pair.gained, pair.dropped) == (4132 + 4768, 5273 + 1085)
    assert pair.exact < 1e-90
    low, high = pair.interval
    assert pair.difference == pytest.approx(2542 / 81897)
    assert low < pair.difference < high
    assert result.to_frame()["deals"].to_list() == TABLE_VI
    assert "program against human" in result.summary()
    assert result.plot().to_dict()["layer"]


@pytest.mark.parametrize(("gained", "dropped"), [(9, 1), (0, 6), (5, 5), (30, 22)])
def test_mcnemar_is_the_test_of_a_fair_coin(gained: int, dropped: int) -> None:
    exact, mid = mcnemar(gained, dropped)
    assert exact == pytest.approx(binomtest(gained, gained + dropped).pvalue)
    assert mid < exact or gained == dropped
    assert mcnemar(dropped, gained) == (exact, mid)


def test_no_deal_that_differs_is_no_evidence() -> None:
    assert mcnemar(0, 0) == (1.0, 1.0)


def test_mid_p_rejects_a_true_null_hypothesis_at_about_its_rate() -> None:
    rng = np.random.default_rng(1)
    gained = rng.binomial(40, 0.5, 4000)
    rate = np.mean([mcnemar(int(g), 40 - int(g))[1] < 0.05 for g in gained])
    assert 0.03 < rate < 0.05 + 3 * np.sqrt(0.05 * 0.95 / 4000)


def test_intervals_cover_the_true_differences() -> None:
    rng = np.random.default_rng(2)
    covered = np.zeros(2)
    runs = 400
    for _ in range(runs):
        hard = rng.random(150)
        first, second = hard < 0.6, hard < np.where(rng.random(150) < 0.3, 0.8, 0.6)
        noise = rng.normal(size=(2, 150)) * 20
        scores = {"a": noise[0], "b": noise[1] + 3}
        pair = compare_deals({"a": first, "b": second}, scores=scores).comparisons[0]
        assert pair.score_interval is not None
        covered += [
            pair.interval[0] <= 0.06 <= pair.interval[1],
            pair.score_interval[0] <= 3 <= pair.score_interval[1],
        ]
    assert (np.abs(covered / runs - 0.95) < 3.5 * np.sqrt(0.95 * 0.05 / runs)).all()


def test_a_file_of_results_is_paired_by_deal_whatever_its_order(tmp_path: Path) -> None:
    path = tmp_path / "replays.csv"
    path.write_text(
        "deal,player,won,score\n2,people,0,-48\n1,people,1,24\n3,people,0,-20\n"
        "1,program,1,30\n2,program,1,24\n3,program,0,-20\n"
    )
    result = read_deals(path)
    assert result.won == {"people": 1, "program": 2}
    assert result.comparisons[0].gained == 1
    assert result.comparisons[0].score_difference == pytest.approx((6 + 72 + 0) / 3)


def test_all_faults_of_a_file_are_reported(tmp_path: Path) -> None:
    path = tmp_path / "replays.csv"
    path.write_text("deal,player,won,score\n1,people,1,24\n1,program,2,\n2,people,1,3\n")
    with pytest.raises(MatchDataError, match=r"1 rows where won .*; 1 rows without a score; 1 deals .* first is 2"):
        read_deals(path)
    path.write_text("deal,won\n1,1\n")
    with pytest.raises(MatchDataError, match="no column player"):
        read_deals(path)


def test_tables_that_do_not_fit_are_refused() -> None:
    with pytest.raises(LudometerError, match="one result for each deal"):
        compare_deals({"a": [1, 0], "b": [1]})
    with pytest.raises(LudometerError, match="same players"):
        compare_deals({"a": [1, 0], "b": [1, 1]}, scores={"a": [1, 2]})
    with pytest.raises(LudometerError, match="8 counts"):
        compare_counts(["a", "b", "c"], [1, 2])
    with pytest.raises(LudometerError, match="two to"):
        compare_counts(["a"], [1, 2])
    with pytest.raises(LudometerError, match="confidence"):
        compare_counts(["a", "b"], [1, 2, 3, 4], confidence=95)
