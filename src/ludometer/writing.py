"""Files are written beside their place and moved there when complete."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ludometer.errors import LudometerError

_DISK = re.compile(r"([^:]+?) \(os error \d+\)")


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A temporary path in the same folder that replaces `path` on success and is deleted on failure."""
    if path.is_dir():
        raise LudometerError(f"{path}: is a folder; name a file")
    # a link stays, what it leads to is replaced; messages name what was asked for
    target = path.resolve()
    if target.exists() and not target.is_file():
        # a pipe or a device is written to, not replaced
        yield target
        return
    try:
        handle, name = tempfile.mkstemp(prefix=f".{target.name}.", suffix=".part", dir=target.parent)
    except OSError as error:
        raise LudometerError(f"{path}: cannot be written ({error.strerror})") from error
    os.close(handle)
    draft = Path(name)
    try:
        yield draft
        mask = os.umask(0)
        os.umask(mask)
        draft.chmod(0o666 & ~mask)
        draft.replace(target)
    except OSError as error:
        raise LudometerError(f"{path}: cannot be written ({error.strerror or error})") from error
    except Exception as error:
        # Polars wraps what the disk said into an error of its own
        if reason := _DISK.search(str(error)):
            raise LudometerError(f"{path}: cannot be written ({reason[1]})") from error
        raise
    finally:
        draft.unlink(missing_ok=True)
