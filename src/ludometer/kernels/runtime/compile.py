"""The decorator of all kernels: Numba with its own disk cache, and a log message when it has to compile."""

from __future__ import annotations

import hashlib
import logging
import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import numba
from numba.core import event

Function = TypeVar("Function", bound=Callable[..., Any])

JIT = not numba.config.DISABLE_JIT
"""False under NUMBA_DISABLE_JIT=1: then kernels run as plain Python, and SIMD kernels give way to their twins."""

_log = logging.getLogger(__name__)


def kernel(function: Function) -> Function:
    """Compile on first use, without the GIL, with NumPy's rules for division, cached on disk.

    Numba's own cache is beside the source and does not notice an edit in another file that a kernel calls; this one is
    in the user's cache folder, under a hash of all kernel sources.
    """
    settings = {"nogil": True, "error_model": "numpy"}
    before = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(_CACHE)
    try:
        return numba.njit(cache=True, **settings)(function)  # type: ignore[no-any-return]
    except (RuntimeError, OSError):
        _Compilation.is_kept = False
        _log.info("no folder for compiled kernels is writable: they are compiled in each run")
        return numba.njit(**settings)(function)  # type: ignore[no-any-return]
    finally:
        numba.config.CACHE_DIR = before


def cache_folder() -> Path:
    """The folder of compiled kernels, named by a hash of all kernel sources."""
    digest = hashlib.sha256()
    package = Path(__file__).parents[2]
    for folder in (package / "kernels", *sorted(package.glob("*/kernels"))):
        for source in sorted(folder.rglob("*.py")):
            digest.update(source.name.encode() + source.read_bytes())
    if os.environ.get("NUMBA_CACHE_DIR"):
        home = Path(os.environ["NUMBA_CACHE_DIR"])
    elif sys.platform == "win32":
        home = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    elif sys.platform == "darwin":
        home = _user_folder() / "Library" / "Caches"
    else:
        home = Path(os.environ.get("XDG_CACHE_HOME") or _user_folder() / ".cache")
    return home / "ludometer" / f"kernels-{digest.hexdigest()[:16]}"


def n_compiled() -> int:
    """How many kernels this process has compiled."""
    return _Compilation.count


def is_kept() -> bool:
    """Whether what is compiled can be kept for the next run, by the kernels that were loaded."""
    return _Compilation.is_kept


def _user_folder() -> Path:
    try:
        return Path.home()
    except RuntimeError:
        # an account without a home, as in some containers
        return Path(tempfile.gettempdir())


class _Compilation(event.Listener):  # type: ignore[misc]
    """Logs which kernels are being compiled, which makes a first run slow: the first as information.

    A message carries the name of the kernel and which one it is by number as `kernel`; None when that one is done.
    """

    depth = count = 0
    is_kept = True

    def on_start(self, event: Any) -> None:
        function = event.data["dispatcher"].py_func
        if not getattr(function, "__module__", "").startswith("ludometer."):
            return
        _Compilation.depth += 1
        # those that a kernel calls are compiled while it is
        if self.depth == 1:
            _Compilation.count += 1
            text = "compiling for this machine; the next run starts at once"
            kernel = (function.__name__.strip("_"), self.count)
            _log.log(logging.INFO if self.count == 1 else logging.DEBUG, text, extra={"kernel": kernel})

    def on_end(self, event: Any) -> None:
        function = event.data["dispatcher"].py_func
        if getattr(function, "__module__", "").startswith("ludometer."):
            _Compilation.depth -= 1
            if not self.depth:
                _log.debug("compiled", extra={"kernel": None})


def _spare_scipy() -> None:
    """Load Numba's array functions without SciPy, which they import only to see that it is there.

    That import takes as long as NumPy's own. A kernel that needs BLAS still asks for it when it is compiled.
    """
    from numba.np import linalg

    ask, linalg.ensure_blas = linalg.ensure_blas, lambda: None
    try:
        import numba.np.arraymath  # noqa: F401
    finally:
        linalg.ensure_blas = ask


if JIT:
    _spare_scipy()
_CACHE = cache_folder()
event.register("numba:compile", _Compilation())
