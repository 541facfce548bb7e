"""Runs the commands and programs of documentation pages and writes what they print beneath them.

    python scripts/run_pages.py docs/start.md docs/guides/*.md

In a ```console block, `$ cat FILE` makes the file that is shown, `$ ludometer ...` is run and followed by what it
prints (by its message, where it is refused). A ```python block is run; a ```text block right after it holds what it
prints. All blocks of a page run in order in one empty folder, in which `src` is the project's.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from ludometer.cli import main as ludometer

ROOT = Path(__file__).parents[1]
PAGES = (
    *(ROOT / "docs" / f"{name}.md" for name in ("start", "verdict", "legal")),
    *sorted((ROOT / "docs" / "guides").glob("*.md")),
)

_BLOCK = re.compile(r"^```(console|python)\n(.*?)^```\n(?:\n```text\n(.*?)^```\n)?", re.M | re.S)


def renew(page: str) -> str:
    """The page with everything run once more."""
    with _empty_folder():
        return _BLOCK.sub(_renew_block, page)


def _renew_block(block: re.Match[str]) -> str:
    if block[1] == "console":
        after = "" if block[3] is None else f"\n```text\n{block[3]}```\n"
        return f"```console\n{''.join(_renew_console(block[2]))}```\n{after}"
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(block[2], "page", "exec"), {})
    text = f"\n```text\n{_tidy(printed.getvalue())}```\n" if block[3] is not None else ""
    return f"```python\n{block[2]}```\n{text}"


def _renew_console(block: str) -> Iterator[str]:
    for entry in re.split(r"^\$ ", block, flags=re.M)[1:]:
        command, _, output = entry.partition("\n")
        words = shlex.split(command)
        yield f"$ {command}\n"
        if words[0] == "cat":
            Path(words[1]).write_text(output, encoding="utf-8")
            yield output
        elif words[0] == "ludometer":
            yield _tidy(run(words))
        else:
            raise ValueError(f"only cat and ludometer are run, not {command!r}")


def run(words: list[str]) -> str:
    """What a command prints; what it says on standard error if it is refused."""
    out, err, status = io.StringIO(), io.StringIO(), 0
    before, sys.argv = sys.argv, words
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            ludometer()
    except SystemExit as ending:
        status = int(ending.code or 0)
    finally:
        sys.argv = before
    if status not in {0, 2}:
        raise RuntimeError(f"{shlex.join(words)} ended with {status}: {err.getvalue()}")
    return err.getvalue() if status else out.getvalue()


def _tidy(text: str) -> str:
    lines = [line.rstrip() for line in text.rstrip().splitlines()]
    return "".join(f"{line}\n" for line in lines)


@contextlib.contextmanager
def _empty_folder() -> Iterator[None]:
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        Path("src").symlink_to(ROOT / "src", target_is_directory=True)
        yield


def main() -> None:
    """Run the pages that are named, or all, and write them."""
    os.environ["COLUMNS"] = "200"
    for page in map(Path, sys.argv[1:] or PAGES):
        text = page.read_text(encoding="utf-8")
        page.write_text(renew(text), encoding="utf-8")


if __name__ == "__main__":
    main()
