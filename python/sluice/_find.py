# SPDX-License-Identifier: MIT
"""Where the program and the library lie."""
from __future__ import annotations

import os
import shutil
from functools import lru_cache
from pathlib import Path
from typing import Iterator

from ._error import SluiceError

_HERE = Path(__file__).resolve().parent


def _homes() -> Iterator[Path]:
    """Folders with bin/sluice: that of SLUICE_HOME alone, or those that this package may belong to."""
    if os.environ.get("SLUICE_HOME"):
        yield Path(os.environ["SLUICE_HOME"])
        return
    yield _HERE.parents[1] / "build" / "release"  # python/ of the sources
    if len(_HERE.parents) > 3:
        yield _HERE.parents[3]  # PREFIX/lib/python3/dist-packages/sluice
    found = shutil.which("sluice")
    if found:
        yield Path(found).resolve().parents[1]


@lru_cache(maxsize=None)
def home() -> Path:
    for candidate in _homes():
        if os.access(candidate / "bin" / "sluice", os.X_OK):
            return candidate
    raise SluiceError(
        "the program sluice was not found; install it (./dev install), or set SLUICE_HOME to the folder with bin/sluice",
        code="not_found",
    )


def program() -> Path:
    """The program sluice."""
    return home() / "bin" / "sluice"


def library(version: str) -> Path:
    """The library that belongs to the program; versions that share two numbers share the interface."""
    name = "libsluice.so." + ".".join(version.split(".")[:2])
    for folder in [home() / "lib", *(home() / "lib").glob("*-linux-*")]:
        if (folder / name).exists():
            return folder / name
    raise SluiceError(f"{name} was not found below {home() / 'lib'}", code="not_found")
