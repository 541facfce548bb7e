"""Likely objections to a measurement, with answers from the record itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ludometer.wording import percent

if TYPE_CHECKING:
    from ludometer.measurement.measurement import Measurement
    from ludometer.measurement.verdict.checks import Check


@dataclass(frozen=True)
class Objection:
    """What the other side may say, and what this record answers."""

    objection: str
    answer: str


def list_objections(game: Measurement) -> tuple[Objection, ...]:
    """The usual ones; each answer is made of this record's own figures."""
    if game.verdict is None:
        return ()
    answers = {
        "There are too few matches or players.": _size(game),
        "Players do not meet opponents at random.": _pairing(game),
        "Who meets whom depends on results (queues, Swiss, winner stays).": _reactive(game),
        "The record holds matches twice.": _repeats(game),
        "Rows are parts of larger tables or of team matches.": _flattened(game),
        "Results of one evening hang together.": _sessions(game),
        "One side has an advantage.": _seats(game),
        "Players change with time.": _checked(game, "half", "period"),
        "The cutoff was chosen to suit: it decides who counts.": _checked(game, "cutoff", "activity", "component"),
        "Beginners distort the picture.": _checked(game, "experience"),
        "Draws distort the picture.": _checked(game, "draws"),
        "The prizes that places are worth decide the answer.": _checked(game, "prizes"),
        "The yardstick was chosen to suit.": _yardstick(game),
        "One match is the wrong unit: a session, an evening, a season count.": _units(game),
        "Another run with other random numbers would say something else.": _randomness(game),
        "Accounts are not persons.": "This is so: the figures speak of accounts. Where several people share an "
        "account, or one person has several, they speak of what those accounts did." + _accounts(game),
        "Other players would show something else.": "They may: the figures are about these "
        f"{game.main.n:,} players, who have {game.main.min_matches} matches or more, and about this span of time.",
    }
    return tuple(Objection(objection, answer) for objection, answer in answers.items() if answer)


def _size(game: Measurement) -> str:
    data, shares = game.data, game.shares
    counted = f"{data.n_matches:,} matches of {data.n_players:,} players were measured; {game.main.n:,} players count."
    if shares is None:
        return f"{counted} What they cannot tell, the verdict says."
    return f"{counted} What their number leaves open is in the intervals: a skill share of {shares[0]}."


def _pairing(game: Measurement) -> str:
    pairing = game.matchmaking.pairing
    if pairing is None:
        return ""
    if not pairing.detected:
        return "In this record they do: the schedule has the structure of random opponents."
    found = f"The strengths of opponents correlate at {pairing.correlation:.2f} in this record."
    if pairing.corrected:
        return f"{found} The simulated players of the benchmarks are paired in the same way, so it is allowed for."
    return f"{found} {'' if pairing.is_sound else 'That is why the verdict is refused. '}".strip()


def _reactive(game: Measurement) -> str:
    routes = game.routes
    if routes is None:
        return ""
    if routes.suspected and routes.reasons:
        return f"This schedule seems to: {'; '.join(routes.reasons)}."
    backwards = (
        ""
        if routes.backwards is None
        else f" Measured backwards in time, the skill share moves by {routes.backwards:+.0f} points."
    )
    return (
        "Skill is measured in two ways, one of which does not care how pairs were made: the spread of ratings on the "
        f"schedule gives {routes.spread.deterministic.share}{_by_likelihood(game)}.{backwards}"
    )


def _by_likelihood(game: Measurement) -> str:
    found = None if game.routes is None else game.routes.likelihood
    return "" if found is None else f", the likelihood of the results {found.deterministic.share}"


def _flattened(game: Measurement) -> str:
    found = game.record.flattened
    if not found.suspected:
        return "Rows that look like parts of one table were looked for, and no sign of them was found."
    return f"Found: {'; '.join(found.lines())}."


def _repeats(game: Measurement) -> str:
    found = game.record.repeats
    if found.kind == "none":
        return "Repeated, mirrored and appended matches were looked for, and no sign of them was found."
    kept = f"{found.dropped:,} of them were left out" if found.dropped else "they were kept, as asked for"
    return f"{found.found:,} rows say again what another row says ({found.kind}); {kept}."


def _sessions(game: Measurement) -> str:
    found, legal = game.record.sessions, game.legal
    if found.dependent:
        return (
            f"They do in this record: {found.found:,} sessions were found. What a session shares counts as luck, and "
            "the verdict rests on one match of each."
        )
    if found.found:
        return f"{found.found:,} sessions were found; their results do not hang together more than others do."
    if legal is not None and legal.has_sessions:
        return "The record names its sessions, and the test of pure chance exchanges whole sessions."
    return "No sessions were found, and the record names none."


def _seats(game: Measurement) -> str:
    found, legal = game.record.seats, game.legal
    if found.applied and found.advantage is not None:
        ends = "" if found.interval is None else f" [{found.interval[0]:.0f}, {found.interval[1]:.0f}]"
        return f"It is worth {found.advantage:.0f}{ends} Elo points here, and enters every expectation of the verdict."
    if legal is None or legal.first_seat is None:
        return "The file lists players in the order in which they finished, so it says nothing about seats."
    if legal.basis != "wins":
        return f"The first seat got {legal.first_seat:+.3g} per match above the mean of its table."
    level = "above" if legal.first_seat >= 0 else "below"
    return f"The player listed first won {percent(abs(legal.first_seat))} {level} what chance gives."


def _checked(game: Measurement, *kinds: str) -> str:
    """What became of the answer when this was changed."""
    checks = [check for check in _checks(game) if check.kind in kinds]
    answered = [check for check in checks if check.answer is not None]
    if not answered:
        return ""
    told = "; ".join(f"{check.name}: {check.answer}{_share(check)}" for check in answered)
    return f"Checked, against the answer “{game.verdict.answer if game.verdict else ''}”. {told[:1].upper()}{told[1:]}."


def _share(check: Check) -> str:
    return "" if check.shares is None else f" (skill share {check.shares[0]})"


def _checks(game: Measurement) -> tuple[Check, ...]:
    return () if game.verdict is None else game.verdict.checks


def _yardstick(game: Measurement) -> str:
    if game.shares is None or game.verdict is None:
        return "Two yardsticks are fixed beforehand; here neither gives an answer."
    skill, kept = game.shares
    return (
        f"Two yardsticks are fixed beforehand, and the verdict needs both: a skill share of {skill} and a share of "
        f"{game.reference_name} of {kept}. The choices of the primary analysis have the hash {game.verdict.primary}."
    )


def _units(game: Measurement) -> str:
    units = [check for check in _checks(game) if check.kind == "unit" and check.answer is not None]
    if not units:
        return ""
    told = "; ".join(f"{check.name}: {check.answer}{_share(check)}" for check in units)
    return f"The verdict is about one match as recorded. By a model of the same players, for longer units: {told}."


def _randomness(game: Measurement) -> str:
    if game.yardstick is None:
        return ""
    return (
        f"The same file, options and seed ({game.provenance.seed}) give the same report to the last byte. What other "
        f"random numbers would change is small against the intervals, which rest on {game.yardstick.replicates} "
        "simulated games for each yardstick; --seed lets anybody try."
    )


def _accounts(game: Measurement) -> str:
    found = game.record.accounts
    return f" {len(found):,} accounts stand out and should be looked at." if found else ""
