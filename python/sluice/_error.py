# SPDX-License-Identifier: MIT
"""What went wrong, and where."""
from __future__ import annotations

import re
from typing import Any, Optional


class SluiceError(Exception):
    """An error of Sluice.

    message  what is wrong, one or more sentences
    location "file", "file:line" or "file:line:column" of the input that is wrong; None: there is none
    code     "usage" (a wrong option), "failure" (of a command), or a status of the library: "not_found", "corrupt", ...
    result   what a command gave all the same (sluice.Result); None: nothing
    """

    def __init__(self, message: str, location: Optional[str] = None, code: str = "failure", result: Any = None) -> None:
        super().__init__(f"{location}: {message}" if location else message)
        self.message, self.location, self.code, self.result = message, location, code, result


# "wide.yaml:8:5: a level has no key 'wys'": a location has no blanks, and is a file of a format or has a line.
_LOCATION = re.compile(r"(?P<location>[^\s:]+(?::\d+){1,2}|[^\s:]+\.\w+): (?P<message>.*)", re.DOTALL)


def from_text(text: str, code: str, result: Any = None) -> SluiceError:
    """The error that a command printed, behind 'sluice NAME: '."""
    match = _LOCATION.fullmatch(text)
    return SluiceError(match["message"], match["location"], code, result) if match else SluiceError(text, None, code, result)
