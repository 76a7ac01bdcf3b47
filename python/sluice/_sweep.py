# SPDX-License-Identifier: MIT
"""A sweep whose points run wherever an executor runs them: threads, processes, the machines of a cluster."""
from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any, List, Mapping

from . import _commands
from ._error import SluiceError


def _seconds(row: Mapping[str, Any]) -> float:
    seconds = row["seconds"]
    return seconds if isinstance(seconds, (int, float)) else float("inf")


def run_point(spec: str, point: int, part: str, options: Mapping[str, Any]) -> None:
    """Runs one point into a database of its own. Called where the executor wants it; an error is stored with the point."""
    try:
        _commands.run_command("sweep", [spec], None, {**options, "point": point, "database": part})
    except SluiceError:
        if not os.path.exists(part):
            raise


def run(spec: Any, executor: Any, options: Mapping[str, Any]) -> _commands.Result:
    """The points of the file, costliest first, by executor.submit; then their results together."""
    path = Path(spec)
    database = Path(options.get("database") or path.stem + ".sqlite").absolute()
    shared = {name: options[name] for name in ("cache", "jobs") if name in options}
    shared.setdefault("jobs", 1)
    if database.exists():
        shared["merge"] = [str(database)]  # what is known is not run again
    rows = _commands.run_command("sweep", [path], None, {"points": True}).rows
    with tempfile.TemporaryDirectory(prefix=database.name + "-", dir=database.parent) as folder:
        parts: List[str] = []
        futures = []
        for row in sorted(rows, key=_seconds, reverse=True):
            parts.append(str(Path(folder, f"{row['point']}.sqlite")))
            futures.append(executor.submit(run_point, str(path.absolute()), int(row["point"]), parts[-1], shared))
        for future in futures:
            future.result()
        return _commands.run_command("sweep", [path], None, {**options, "merge": [*(options.get("merge") or []), *parts]})
