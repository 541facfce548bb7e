"""Fitted parameters in words."""

from __future__ import annotations

from ludometer.ratings.state_space.fitting import Fit
from ludometer.ratings.state_space.parameters import Parameters


def describe(values: Parameters, fit: Fit | None = None) -> list[str]:
    """One sentence for each ingredient that is on, with standard errors where they are known.

    >>> describe(Parameters(spread=250, drift=35, advantage=34))[1:]
    ['strengths drift by 35 points in a year', 'the better seat is worth 34 points']
    """
    errors = {} if fit is None else fit.errors

    def number(name: str, digits: int = 0, factor: float = 1.0) -> str:
        text = f"{factor * getattr(values, name):.{digits}f}"
        if name not in errors:
            return text
        return f"{text} (±{factor * errors[name]:.{max(digits, 0)}f})"

    said = [f"newcomers differ from their level by {number('spread')} points (SD)"]
    if values.drift:
        said.append(f"strengths drift by {number('drift')} points in a year")
    if values.match_drift:
        said.append(f"strengths drift by {number('match_drift', 1)} points per match played")
    if values.advantage:
        said.append(f"the better seat is worth {number('advantage')} points")
    if values.entry_drift:
        said.append(f"the level of newcomers drifts by {number('entry_drift')} points in a year")
    if values.opponent_share:
        share = number("opponent_share", 0, 100)
        said.append(f"newcomers enter with {share}% of the lead or lag of their first opponent")
    if values.pairing:
        said.append(f"being paired says as much as {number('pairing', 2)} results between equals")
        if values.pairing_new:
            said.append(
                f"and {number('pairing_new', 1)} times more when a player is new "
                f"(fading over {number('pairing_matches')} matches)"
            )
    if values.learning:
        said.append(
            f"players gain {number('learning')} points with each doubling of experience, "
            f"counted from {number('learning_matches', 1)} matches"
        )
    if values.young_drift:
        said.append(
            f"newcomers drift {number('young_drift', 1)} times more in variance, "
            f"fading over {number('young_matches')} matches"
        )
    if values.information != 1:
        said.append(f"a result makes ratings surer by {number('information', 0, 100)}% of what it would in theory")
    if values.activity:
        said.append(
            f"each doubling of recent matches is worth {number('activity')} points; "
            f"matches count for {number('activity_days')} days"
        )
    if values.rust:
        said.append(f"a pause of a year costs {number('rust', 0, 0.632)} points")
    if values.form:
        said.append(f"form moves strengths by {number('form')} points (SD) over {number('form_days')} days")
    return said
