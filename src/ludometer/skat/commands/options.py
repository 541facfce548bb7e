"""Options of the Skat commands, as frozen dataclasses."""

from __future__ import annotations

import math
import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click
from click.core import ParameterSource

from ludometer.cli.declared import OutFile, group, option
from ludometer.cli.screen import note
from ludometer.cli.shared import OutputOptions, command_line
from ludometer.errors import LudometerError
from ludometer.skat.commands.fields import choice, number

if TYPE_CHECKING:
    from ludometer.ratings.scores.starting_position import Form
    from ludometer.report.presenter import Output
    from ludometer.skat.language import Language
    from ludometer.skat.luck.factors import ChanceFactors, Lost, Strength
    from ludometer.skat.sheets import ListRules

_HOUSE_RULES = ("kontra", "bock", "ramsch")


@dataclass(frozen=True)
class ListOptions:
    """How games become lists, and lists become scores."""

    scoring: Any = choice(
        "--scoring", "extended plain points", "Extended Seeger (Seeger-Fabian), plain Seeger, or points only."
    )
    short: Any = choice(
        "--short", "drop keep rescale", "What to do with lists from game records that have too few games."
    )
    length: int | None = option(
        "--length", type=click.IntRange(1), show_default="36; 48 at tables of four", metavar="N", help="Games per list."
    )
    folded: bool = option(
        "--folded", is_flag=True, help="Count folded games as games of a list (the paper drops them)."
    )
    points: Any = choice("--points", "recorded rules", "Which value counts where a record differs from the rules.")
    substitutes: Any = choice(
        "--substitutes", "player seat", "Players who change during a list: one result per player, or one per seat."
    )
    house_rules: str | None = option("--house-rules", metavar="RULE,...", help="In score lists: kontra, bock, ramsch.")
    skip_damaged: bool = option("--skip-damaged", is_flag=True, help="Skip damaged records and list them.")
    copies: Any = choice(
        "--copies",
        "merge keep",
        "Copies of a program in records (xskat:2): merge them, except at one table, or keep them apart.",
    )
    lot: int | None = option(
        "--lot", type=click.IntRange(0), metavar="SEED", help="Draw lots where all tie-breaks are equal."
    )

    def rules(self, *, folded: bool = False) -> ListRules:
        """For the library; `folded` counts folded games in any case."""
        from ludometer.skat.rules.games import HouseRules
        from ludometer.skat.sheets import ListRules

        words = [word.strip().casefold() for word in (self.house_rules or "").split(",") if word.strip()]
        if odd := [word for word in words if word not in _HOUSE_RULES]:
            raise LudometerError(f"--house-rules {odd[0]}: choose from {', '.join(_HOUSE_RULES)}")
        return ListRules(
            system=self.scoring,
            by=self.substitutes,
            points=self.points,
            short=self.short,
            folded=self.folded or folded,
            length=self.length,
            house_rules=HouseRules(**dict.fromkeys(words, True)),
            seed=self.lot,
            copies=self.copies,
        )


@dataclass(frozen=True)
class LanguageOption:
    """German or English."""

    language: Language = choice("--language", "en de", "Language of tables and report.")


@dataclass(frozen=True)
class MatchesOption:
    """Series for `ludometer measure`."""

    matches: Path | None = option(
        "--matches",
        type=OutFile(".parquet", ".csv", ".jsonl"),
        metavar="FILE",
        help="Write the series as matches, for ludometer measure.",
    )


@dataclass(frozen=True)
class AnonymiseOption:
    """Names left out of everything that is written."""

    anonymise: bool = option(
        "--anonymise",
        is_flag=True,
        help="Call players P-1, P-2, ... everywhere, in a random order (--seed); file names are not written either.",
    )

    def warn(self) -> None:
        """Warn if the numbers can be guessed, because the seed is the default."""
        context = click.get_current_context()
        if self.anonymise and context.get_parameter_source("seed") is ParameterSource.DEFAULT:
            note(
                "anybody who knows all names can find out the order of the numbers: choose a --seed and keep it to "
                "yourself"
            )

    def output(self, output: OutputOptions, *files: object) -> Output:
        """Where results go. With --anonymise the command names neither these files nor the seed.

        With all names and the seed, anybody could find out who P-1 is.
        """
        from ludometer.report.presenter import Output

        if not self.anonymise:
            return output.output
        hidden = {str(file) for file in (*files, output.json_file, output.html) if file} - {"-"}
        words, rest = [], iter(shlex.split(command_line()))
        for word in rest:
            flag, sign, value = word.partition("=")
            if word == "--seed":
                next(rest, None)
            elif word in hidden:
                words.append("FILE")
            elif flag.startswith("--") and sign and value in hidden:
                words.append(f"{flag}=FILE")
            elif flag != "--seed":
                words.append(word)
        return Output(shlex.join(words), output.json_file, output.html)


@dataclass(frozen=True)
class ModelOptions:
    """How i1 judges hands."""

    lost: Lost = choice("--lost", "divide keep multiply", "How i1 treats lost games; divide is the paper's rule.")
    model: str | None = option("--model", metavar="FILE", help="Winning model for i1, written by ludometer skat fit.")

    @property
    def strength(self) -> Strength | None:
        """The model's chance of winning, if one is given."""
        if self.model is None:
            return None
        from ludometer.skat.luck.winning import WinningModel

        return WinningModel.load(self.model).predict


@dataclass(frozen=True)
class ChanceOptions:
    """Which luck to remove from the scores."""

    chance: str | None = option(
        "--chance",
        metavar="i1,i2,i3",
        help="Correct scores for luck. From game records: i1 hand, i2 mean value, i3 deal (the cleanest; i3:table sees "
        "all three hands). From series of any game: position, a column that rates each starting position "
        "(position:quotient divides by it).",
    )
    hands: ModelOptions = group(ModelOptions)

    @property
    def position(self) -> Form | None:
        """How the column position is used, if it is.

        >>> [ChanceOptions(chance=text).position for text in ("position", "position:quotient", "i1")]
        ['difference', 'quotient', None]
        """
        word, _, form = (self.chance or "").strip().casefold().partition(":")
        if word != "position":
            return None
        if form not in ("", "difference", "quotient"):
            raise LudometerError(f"--chance {self.chance}: write position, position:difference or position:quotient")
        return cast("Form", form or "difference")

    @property
    def factors(self) -> ChanceFactors | None:
        """The chance factors of game records, if any are wanted."""
        if self.chance is None or self.position:
            return None
        from ludometer.skat.luck.factors import parse_factors

        factors = parse_factors(self.chance, lost=self.hands.lost)
        return factors if factors.hand or factors.mean_value or factors.deal else None


@dataclass(frozen=True)
class SystemOptions:
    """Series Elo."""

    k: float = number("--k", click.FloatRange(0), 0.02, "K", "Step: 0.02 remembers 50 series.")
    start: str = option(
        "--start",
        default="800",
        metavar="RATING",
        help="Start rating: a number, mean (of all scores) or first:N (mean of the player's first N).",
    )
    form: Any = choice("--form", "proportional additive", "E = R_i S / R, or E = R_i + (S - R) / n.")
    newcomer_k: float | None = option(
        "--newcomer-k", type=click.FloatRange(0), metavar="K", help="Step of a newcomer, which falls to --k."
    )
    newcomer_series: int = number("--newcomer-series", click.IntRange(1), 20, "N", "Series over which it falls.")
    floor: float | None = option("--floor", type=float, metavar="RATING", help="Lowest possible rating.")

    def make(self) -> Any:
        """The system; checked here, as click takes nan and inf for numbers too."""
        from ludometer.ratings.scores.elo import make_series_elo

        for name in ("k", "newcomer_k"):
            step = getattr(self, name)
            if step is not None and not math.isfinite(step):
                raise LudometerError(f"--{name.replace('_', '-')} {step:g}: write a number from 0 up, such as 0.02")
        first = self.start.strip().removeprefix("first:")
        is_count = first != self.start.strip() and first.isdecimal() and int(first) > 0
        if not (self.start.strip() == "mean" or is_count or is_finite(self.start)):
            raise LudometerError(f"--start {self.start}: write a number, mean, or first:N, such as 800 or first:10")
        if self.floor is not None and not math.isfinite(self.floor):
            raise LudometerError(f"--floor {self.floor:g}: write a rating, such as 500")
        extra: dict[str, Any] = {} if self.floor is None else {"floor": self.floor}
        if self.newcomer_k is not None:
            extra |= {"newcomer_k": self.newcomer_k, "newcomer_series": self.newcomer_series}
        return make_series_elo(k=self.k, start=self.start, form=self.form, **extra)


def is_finite(text: str) -> bool:
    """Whether a word is a number.

    >>> is_finite("800"), is_finite("nan"), is_finite("high")
    (True, False, False)
    """
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False


def parse_numbers(text: str, flag: str, sign: str) -> tuple[float, ...]:
    """Numbers with a sign between them.

    >>> parse_numbers("0.01, 0.02", "--k", ",")
    (0.01, 0.02)
    """
    if not all(is_finite(part) for part in text.split(sign)):
        raise LudometerError(f"{flag} {text}: write numbers with {sign!r} between them")
    return tuple(float(part) for part in text.split(sign))


def parse_titles(text: str | None) -> dict[str, float]:
    """Titles and the ratings that they need: "1100=Meister,1000=Experte".

    >>> parse_titles("1100=Meister, 1000=Experte")
    {'Meister': 1100.0, 'Experte': 1000.0}
    """
    titles = {}
    for part in filter(str.strip, (text or "").split(",")):
        bound, sign, name = (word.strip() for word in part.partition("="))
        if not sign or not name or not is_finite(bound):
            raise LudometerError(f"--titles {part.strip()!r}: write a rating and a name, such as 1100=Meister")
        titles[name] = float(bound)
    return titles


def parse_factor_names(text: str | None) -> tuple[str, ...]:
    """The factors of a sensitivity table.

    >>> parse_factor_names(None), parse_factor_names("i3")
    (('i1', 'i2'), ('i3',))
    """
    from ludometer.skat.luck.factors import FACTORS

    words = tuple(dict.fromkeys(word.strip() for word in (text or "i1,i2").split(",")))
    if odd := [word for word in words if word not in FACTORS]:
        raise LudometerError(f"--factors {odd[0]}: choose from {', '.join(FACTORS)}")
    return words
