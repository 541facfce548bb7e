"""What a reader may do with an input: read it, or refuse it with a message for people. All else is a failure."""

from __future__ import annotations

import re
import resource
import sys
import time
import warnings
from dataclasses import dataclass
from pathlib import Path

from fuzzing.readers import Input
from fuzzing.targets import Target
from ludometer.errors import LudometerError

SECONDS = 5.0
"""Of work, by all threads: a busy machine makes no input slow."""

MEGABYTES = 500
LONGEST = 1_000
_TALK = re.compile(
    r"Traceback|panicked|unwrap\(\)|object at 0x|NoneType|Error\(|\bErr\(|RUST_|\.rs:|File \"|<class |Exception\b"
    r"|__[a-z]+__|ComputeError"
)


@dataclass(frozen=True)
class Outcome:
    """How it went: "read", "refused", or a failure and its reason."""

    kind: str
    reason: str = ""
    seconds: float = 0.0

    @property
    def is_failure(self) -> bool:
        """Neither read nor refused."""
        return self.kind not in ("read", "refused")


def judge(target: Target, given: Input, folder: Path) -> Outcome:
    """Read one input and say how it went."""
    begun, before = time.process_time(), _peak()
    outcome = _tried(target, given, folder)
    seconds, grown = time.process_time() - begun, _peak() - before
    if not outcome.is_failure and seconds > SECONDS:
        outcome = Outcome("slow", f"more than {SECONDS:.0f} seconds of work")
    if not outcome.is_failure and grown > MEGABYTES:
        outcome = Outcome("memory", f"more than {MEGABYTES} MiB")
    return Outcome(outcome.kind, outcome.reason, seconds)


def judge_message(text: str) -> str:
    """What is wrong with a message; nothing if it is for people."""
    if not text.strip():
        return "an empty message"
    if len(text) > LONGEST:
        return f"a message of {len(text)} characters"
    if talk := _TALK.search(text):
        return f"a message that talks of {talk[0]!r}"
    odd = next((sign for sign in text if not (sign.isprintable() or sign == "\n")), None)
    if odd is not None:
        return f"a message with {odd!r}"
    return ""


def _tried(target: Target, given: Input, folder: Path) -> Outcome:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            target.read(given, folder)
    except LudometerError as error:
        fault = judge_message(str(error))
        return Outcome("message", f"{fault}: {str(error)[:300]!r}") if fault else Outcome("refused")
    except MemoryError:
        return Outcome("memory", "the limit of memory")
    except Exception as error:
        return Outcome("exception", f"{type(error).__name__}: {str(error)[:200]} ({_place(error)})")
    except BaseException as error:
        # what Polars calls a panic is not an Exception
        if isinstance(error, KeyboardInterrupt | SystemExit):
            raise
        return Outcome("panic", f"{type(error).__name__}: {str(error)[:200]} ({_place(error)})")
    return Outcome("read")


def _place(error: BaseException) -> str:
    """The last line of our own that it came through."""
    place, at = "", error.__traceback__
    while at is not None:
        if "ludometer" in at.tb_frame.f_code.co_filename:
            place = f"{Path(at.tb_frame.f_code.co_filename).name}:{at.tb_lineno}"
        at = at.tb_next
    return place


def _peak() -> float:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (1 << 20 if sys.platform == "darwin" else 1 << 10)
