"""What the law asks, on a page: the questions, the tests from the literature, objections and words."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from ludometer.measurement.legal.objections import Objection, list_objections
from ludometer.measurement.legal.questions import Question, answer_questions
from ludometer.report.glossary import GLOSSARY
from ludometer.report.templates import sentence

if TYPE_CHECKING:
    from ludometer.measurement import LegalTest, Measurement

INTRODUCTION = (
    "The verdict rests on none of these tests. They are shown because courts, regulators and the literature have used "
    "them, each with what it can and cannot show. Where a test was argued is told as literature; it is no legal advice."
)


@dataclass(frozen=True, eq=False)
class LegalView:
    """The part of a report that answers the questions of the law."""

    game: Measurement

    introduction = INTRODUCTION
    glossary = GLOSSARY

    @cached_property
    def questions(self) -> tuple[Question, ...]:
        """Predominance, material element, pure chance."""
        return answer_questions(self.game)

    @property
    def tests(self) -> tuple[LegalTest, ...]:
        """In the order of the literature."""
        return () if self.game.legal is None else self.game.legal.tests

    @property
    def remarks(self) -> list[str]:
        """What the figures rest on."""
        return [] if self.game.legal is None else self.game.legal.remarks()

    @property
    def table(self) -> list[list[str]]:
        """Test, figure, what it says."""
        return [[test.test, test.in_words, sentence(test.says.rstrip("."))] for test in self.tests]

    @cached_property
    def objections(self) -> tuple[Objection, ...]:
        """With answers from this record."""
        return list_objections(self.game)
