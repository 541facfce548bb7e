"""The JSON Schemas of what commands write: ours in `schemas/`, those of a slice in the folder of that name there."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from typing import Any

from ludometer.errors import LudometerError
from ludometer.extensions import COMMANDS, find_extensions


def schema_names() -> list[str]:
    """Commands whose output has a schema."""
    return sorted(_files())


def load_schema(command: str) -> dict[str, Any]:
    """The JSON Schema of a command's output."""
    file = _files().get(command)
    if file is None:
        raise LudometerError(f"no schema for {command!r}; there are: {', '.join(schema_names())}")
    schema: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return schema


def _files() -> dict[str, Path]:
    """The schemas by command: in our folder, and in the folder `schemas` of each package that adds a command."""
    folders = [Path(__file__).parent / "schemas"]
    for reference in find_extensions(COMMANDS).values():
        module = reference.partition(":")[0]
        spec = importlib.util.find_spec(module.rpartition(".")[0] or module)
        if spec and spec.origin:
            folders.append(Path(spec.origin).parent / "schemas")
    return {file.stem: file for folder in reversed(folders) for file in folder.glob("*.json")}
