"""Fitted parameters in words."""

from __future__ import annotations

from dataclasses import dataclass

from ludometer.ratings.state_space.effects import ADVANTAGE, Effect
from ludometer.ratings.state_space.fitting import Fit
from ludometer.ratings.state_space.parameters import Parameters

_SENTENCES = (
    ("spread", "newcomers differ from the level of newcomers by {spread:.0f} points (SD)"),
    ("drift", "strengths drift by {drift:.0f} points in a year"),
    ("match_drift", "strengths drift by {match_drift:.1f} points per match played"),
    ("advantage", "the better seat is worth {advantage:.0f} points"),
    ("entry_drift", "the level of newcomers drifts by {entry_drift:.0f} points in a year"),
    ("opponent_share", "newcomers enter with a share of {opponent_share:.2f} of their first opponent's lead"),
    ("pairing", "being paired says as much as {pairing:.2f} results between equals"),
    (
        "pairing_new",
        "pairing says {pairing_new:.1f} times more while a player is new, over {pairing_matches:.0f} matches",
    ),
    (
        "learning",
        "players gain {learning:.0f} points with each doubling of experience, from {learning_matches:.1f} matches on",
    ),
    (
        "young_drift",
        "the variance of newcomers drifts {young_drift:.1f} times more, fading over {young_matches:.0f} matches",
    ),
    ("information", "a result makes ratings surer by {information:.2f} of what it would in theory"),
    (
        "activity",
        "each doubling of recent matches is worth {activity:.0f} points, remembered for {activity_days:.0f} days",
    ),
    ("rust", "a long pause costs {rust:.0f} points, 63% of it in the first year"),
    ("form", "form moves strengths by {form:.0f} points (SD), and lasts {form_days:.0f} days"),
    ("later_places", "each place of a finishing order counts {later_places:.2f} times the place before it"),
    ("margin", "margins count: log(1 + margin) varies by {margin:.2f} (SD) around what strengths let expect"),
)
"""What is said of a parameter that is not at its off value."""


@dataclass(frozen=True)
class _Measured:
    value: float
    error: float | None

    def __format__(self, specification: str) -> str:
        text = format(self.value, specification)
        return text if self.error is None else f"{text} (±{format(self.error, specification)})"


def describe(values: Parameters, fit: Fit | None = None) -> list[str]:
    """One sentence for each ingredient that is on, with standard errors where they are known.

    >>> describe(Parameters(spread=250, drift=35, advantage=34))[1:]
    ['strengths drift by 35 points in a year', 'the better seat is worth 34 points']
    """
    errors = {} if fit is None else fit.errors
    off = {"information": 1.0, "later_places": 1.0}
    numbers = {
        name: _Measured(value, errors.get(name)) for name, value in values.document().items() if name != "effects"
    }
    said = [text.format_map(numbers) for name, text in _SENTENCES if numbers[name].value != off.get(name, 0.0)]
    return said + [_describe_effect(effect, errors) for effect in values.effects]


def _describe_effect(effect: Effect, errors: dict[str, float]) -> str:
    """What a column does, in one sentence.

    >>> _describe_effect(Effect("surface", "player", sd=80), {})
    'players differ by 80 points (SD) in what surface does to them'
    """
    sd, drift = (_Measured(getattr(effect, part), errors.get(f"{effect.label}: {part}")) for part in ("sd", "drift"))
    if effect.whose == "all":
        text = f"what {effect.column} is worth varies by {sd:.0f} points (SD)"
    elif effect.column == ADVANTAGE:
        text = f"players differ by {sd:.0f} points (SD) in what the better seat is worth to them"
    else:
        text = f"players differ by {sd:.0f} points (SD) in what {effect.column} does to them"
    return f"{text}, drifting by {drift:.0f} points in a year" if effect.drift else text
