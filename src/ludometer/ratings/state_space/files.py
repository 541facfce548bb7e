"""Fitted parameters in a file: JSON with the name of the system."""

from __future__ import annotations

import json
import os
from dataclasses import fields
from pathlib import Path
from typing import Any

from ludometer.errors import LudometerError
from ludometer.ratings.state_space.parameters import Parameters
from ludometer.writing import replacing

_NAME = "state-space"


def save_parameters(parameters: Parameters, path: str | os.PathLike[str]) -> None:
    """Write parameters to a file, which is there whole or not at all.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_parameters(Parameters(drift=35), f"{folder}/fit.json")
    ...     load_parameters(f"{folder}/fit.json").drift
    35
    """
    document = {"system": _NAME, "parameters": parameters.document()}
    with replacing(Path(path)) as draft:
        draft.write_text(json.dumps(document, indent=1) + "\n", "utf-8")


def load_parameters(path: str | os.PathLike[str]) -> Parameters:
    """Parameters from a file that `save_parameters` or `rate --parameters` wrote."""
    try:
        document = json.loads(Path(path).read_text("utf-8"))
    except OSError as error:
        raise LudometerError(f"cannot read {path}: {error.strerror}") from error
    except ValueError as error:
        raise LudometerError(f"{path} is no file of parameters: it is not JSON") from error
    if not isinstance(document, dict) or document.get("system") != _NAME or "parameters" not in document:
        raise LudometerError(f"{path} is no file of state-space parameters: rate --parameters FILE writes one")
    return Parameters.of(document["parameters"])


def parameters_in(document: dict[str, Any]) -> Parameters:
    """The parameters among those that a fitted system reports.

    >>> parameters_in({"drift": 35.0, "start_rating": 1500.0}).drift
    35.0
    """
    names = {field.name for field in fields(Parameters)}
    return Parameters.of({name: value for name, value in document.items() if name in names})
