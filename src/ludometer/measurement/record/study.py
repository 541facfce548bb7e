"""What kind of record is this? Studied before anything is measured, and cured where that is safe."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from ludometer.matches import Matches
from ludometer.measurement.record.accounts import Account, list_accounts
from ludometer.measurement.record.repeats import Repeats, RepeatsChoice, undo_repeats
from ludometer.measurement.record.seats import SeatAdvantage, estimate_advantage
from ludometer.measurement.record.sessions import Sessions, find_sessions
from ludometer.measurement.record.tables import Flattened, restore_tables


@dataclass(frozen=True, eq=False)
class RecordStudy:
    """A record as it can be measured, and everything about it that a reader should know."""

    matches: Matches
    """Without repeats, and with flattened tables put together again."""
    repeats: Repeats = field(default_factory=Repeats)
    flattened: Flattened = field(default_factory=Flattened)
    sessions: Sessions = field(default_factory=Sessions)
    seats: SeatAdvantage = field(default_factory=SeatAdvantage)
    accounts: tuple[Account, ...] = ()
    choices: Mapping[str, Any] = field(default_factory=dict)
    """What a user chose differently."""

    def lines(self) -> tuple[str, ...]:
        """What is worth saying, in plain words; nothing where nothing was found."""
        odd: tuple[str, ...] = ()
        if self.accounts:
            first = self.accounts[0]
            more = f", and {len(self.accounts) - 1} more" if len(self.accounts) > 1 else ""
            odd = (f"accounts to look at: {first.player} ({first.why}){more}; all of them stay in the record",)
        parts = (self.repeats, self.flattened, self.sessions, self.seats)
        return (*(line for part in parts for line in part.lines()), *odd)

    def limited_to(self, matches: Matches) -> RecordStudy:
        """The study of some of these matches, which need no further cure."""
        choices = {name: value for name, value in self.choices.items() if name in ("session", "advantage")}
        study = study_record(matches, repeats="keep", tables=False, **choices)
        return replace(study, repeats=self.repeats, flattened=self.flattened, choices=self.choices)

    def document(self) -> dict[str, Any]:
        """The JSON `record`."""
        return {
            "repeats": self.repeats.document(),
            "flattened": self.flattened.document(),
            "sessions": self.sessions.document(),
            "seats": self.seats.document(),
            "accounts": [vars(account) | {} for account in self.accounts],
        }

    def absent(self) -> dict[str, str]:
        """What is null in the document, and why."""
        parts = {"sessions": self.sessions.absent(), "seats": self.seats.absent()}
        return {f"record.{name}.{key}": why for name, part in parts.items() for key, why in part.items()}


def study_record(
    matches: Matches,
    *,
    repeats: RepeatsChoice = "divide",
    tables: bool = True,
    dependence: bool = True,
    session: str | float | None = None,
    advantage: str | None = None,
) -> RecordStudy:
    """Find out what kind of record this is, and cure what would mislead.

    Repeats are divided by their factor, unless `repeats` says otherwise. Pairs that are what is left of tables are put
    together again if `tables`, else only reported. Studying what was cured finds nothing more to cure. Sessions and
    seats are studied if `dependence`, since only a verdict uses them; `session` and `advantage` override what is found,
    as in `find_sessions` and `estimate_advantage`.
    """
    choices = {"repeats": repeats, "session": session, "advantage": advantage}
    whole, repeated = undo_repeats(matches, repeats)
    whole, flattened = restore_tables(whole, cure=tables)
    seats, sessions = SeatAdvantage(), Sessions()
    if dependence:
        seats = estimate_advantage(whole, advantage)
        sessions = find_sessions(whole, session, seats=seats)
        if sessions.kept is not None:
            # matches that share their luck tell less about seats than their number says
            seats = estimate_advantage(whole.take(sessions.kept), advantage)
    return RecordStudy(
        whole,
        repeated,
        flattened,
        sessions,
        seats,
        list_accounts(whole),
        {name: value for name, value in choices.items() if value not in (None, "divide")},
    )
