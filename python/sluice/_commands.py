# SPDX-License-Identifier: MIT
"""The commands of the program as functions, and what they give.

There is no list of commands or options here: what `sluice help --json` says makes functions, signatures and docstrings,
and the program itself checks what it is passed.
"""
from __future__ import annotations

import csv
import inspect
import io
import json
import keyword
import os
import re
import subprocess
import tempfile
import textwrap
from functools import lru_cache
from html import escape
from pathlib import Path
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Union

from . import _error, _find

Row = Dict[str, Union[int, float, str, None]]


def _number(text: str) -> Union[int, float, str, None]:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return text or None


def _rows(text: Optional[str]) -> List[Row]:
    return [{key: _number(value) for key, value in row.items()} for row in csv.DictReader(io.StringIO(text or ""))]


class Result:
    """What a command gave.

    data       all of it, as its --json
    rows       a dict per launch (or whatever the command lists), as its --csv
    loads      a dict per memory instruction, as its --loads
    text       what the command prints; print(result) prints it
    page       its --html page, whole; parts has the sections of it by name
    output     what the program that was run wrote to standard output
    exit_code  of the command, or of the program that it ran
    warnings   what it warned of
    """

    def __init__(self, command: str, rows: List[Row], loads: Optional[List[Row]] = None, *, data: Optional[dict] = None,
                 text: str = "", page: str = "", output: str = "", exit_code: int = 0,
                 warnings: Sequence[str] = ()) -> None:
        self.command, self.rows, self.loads = command, rows, loads or []
        self.data: Dict[str, Any] = data or {}
        self.text, self.page, self.output = text, page, output
        self.exit_code, self.warnings = exit_code, list(warnings)

    def __getitem__(self, key: str) -> Any:
        return self.data[key]

    def __str__(self) -> str:
        return self.text or "\n".join(map(str, self.rows))

    def __repr__(self) -> str:
        def count(items: List[Any], what: str) -> str:
            return f"{len(items)} {what}{'' if len(items) == 1 else 's'}"

        return f"<sluice.Result of {self.command}: {count(self.rows, 'row')}, {count(self.loads, 'memory instruction')}>"

    @property
    def findings(self) -> List[Dict[str, Any]]:
        """What costs most, the costliest first: rule, text, fix, effect, kernel, source, ..."""
        return self.data.get("findings", [])

    def to_pandas(self, what: str = "rows") -> Any:
        """rows or loads as a pandas.DataFrame."""
        import pandas

        if what not in ("rows", "loads"):
            raise ValueError(f"what is 'rows' or 'loads', not {what!r}")
        return pandas.DataFrame(getattr(self, what))

    @property
    def parts(self) -> Dict[str, str]:
        """The sections of the page by their ids: "findings", "overview", "kernels", "kernel-0", ..."""
        sections = re.finditer(r"<section[^>]*? id=([\w-]+)[^>]*>.*?</section>", self.page, re.DOTALL)
        return {section[1]: section[0] for section in sections}

    def html(self, *names: str) -> str:
        """Some parts of the page (all, where none is named) in a frame of their own, for a notebook."""
        page = self.page
        if names:
            style = re.search(r"<style>.*?</style>", page, re.DOTALL)
            body = "\n".join(self.parts[name] for name in names)
            page = f"<!DOCTYPE html><meta charset=utf-8>{style[0] if style else ''}<body><main>{body}</main></body>"
        return (f'<iframe sandbox="allow-scripts" style="width:100%;height:28em;border:0;resize:vertical" '
                f'srcdoc="{escape(page)}"></iframe>')

    def _repr_html_(self) -> str:
        shown = [name for name in ("findings", "changes", "overview", "kernels", "worst") if name in self.parts]
        if shown:
            return self.html(*shown)
        return f"<pre>{escape(str(self))}</pre>"


# What an operand may be: the name of an input, a path, a trace (anything with a path), a result to compare.
Operand = Union[str, "os.PathLike[str]", Result, Any]
# What an option may be: True and False for flags, a list or a dict for options that may be repeated, a tuple for sizes
# ("32,8,1"), a range for ranges ("0-3", the last excluded as ever); None: not given.
Option = Union[None, bool, int, float, str, "os.PathLike[str]", Sequence[Any], Mapping[str, Any], range]


def _spell(value: Any) -> str:
    if isinstance(value, range):
        return f"{value.start}-{value.stop - 1}"
    if isinstance(value, tuple):
        return ",".join(map(str, value))
    return os.fspath(value) if isinstance(value, os.PathLike) else str(value)


def given(name: str, value: Option) -> List[str]:
    option = "--" + name.rstrip("_").replace("_", "-")
    if value is None or value is False:
        return []
    if value is True:
        return [option]
    if isinstance(value, Mapping):
        return [f"{option}={key}={_spell(item)}" for key, item in value.items()]
    if isinstance(value, list):
        return [f"{option}={_spell(item)}" for item in value]
    return [f"{option}={_spell(value)}"]


@lru_cache(maxsize=None)
def table() -> Dict[str, Dict[str, Any]]:
    """The commands as `sluice help --json` has them, by name."""
    listed = subprocess.run([_find.program(), "help", "--json"], check=True, stdout=subprocess.PIPE)
    return {command["name"]: command for command in json.loads(listed.stdout)["commands"]}


_FORMS = ("json", "csv", "loads", "html")


def run_command(command: str, operands: Sequence[Operand], program: Optional[Sequence[Any]],
                options: Mapping[str, Option]) -> Result:
    """Runs a command of the program and reads what it wrote. Raises SluiceError where it says that something is wrong."""
    known = {option["name"]: option for option in table()[command]["options"]}
    with tempfile.TemporaryDirectory(prefix="sluice-") as folder:
        files = {form: Path(folder, form) for form in _FORMS if form in known}
        if known.get("output", {}).get("help") == "Write the text to FILE":
            files["output"] = Path(folder, "text")
        words: List[str] = [str(_find.program()), command]
        for name, value in options.items():
            if name in files and isinstance(value, (str, os.PathLike)):
                files[name] = Path(value)
            else:
                words += given(name, value)
        for number, operand in enumerate(operands):
            if isinstance(operand, Result):
                path = Path(folder, f"{operand.command}-{number}.json")
                path.write_text(json.dumps(operand.data))
                words.append(str(path))
            else:
                words.append(_spell(getattr(operand, "path", operand)))
        after = []
        if program is not None:
            after = ["--", *([program] if isinstance(program, (str, os.PathLike)) else map(_spell, program))]
        while True:
            forms = [f"--{name}={path}" for name, path in files.items()]
            done = subprocess.run([*words, *forms, *after], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, env={"COLUMNS": "100", **os.environ}, encoding="utf-8",
                                  errors="replace")
            # A form that this command does not have with these options, which it says before it does anything.
            refused = [name for name in files if name not in options and f"--{name}" in done.stderr]
            if done.returncode != 2 or not refused or "cannot be combined" not in done.stderr:
                break
            for name in refused:
                del files[name]
        read = {name: path.read_text(encoding="utf-8") for name, path in files.items() if path.exists()}
    return _outcome(command, done, read)


def _outcome(command: str, done: "subprocess.CompletedProcess[str]", read: Dict[str, str]) -> Result:
    start = f"sluice {command}: "
    said = [line[len(start):] for line in done.stderr.splitlines() if line.startswith(start)]
    warnings = [line[len("warning: "):] for line in said if line.startswith("warning: ")]
    errors = [line for line in said if not line.startswith("warning: ")]
    result = None
    if "json" in read:
        result = Result(command, _rows(read.get("csv")), _rows(read.get("loads")), data=json.loads(read["json"]),
                        text=read.get("output", ""), page=read.get("html", ""), output=done.stdout,
                        exit_code=done.returncode, warnings=warnings)
    if done.returncode and (errors or not result):
        text = "\n".join(errors) or done.stderr.strip() or f"sluice {command} ended with {done.returncode}"
        raise _error.from_text(text, "usage" if done.returncode == 2 else "failure", result)
    return result or Result(command, [], text=done.stdout, exit_code=done.returncode, warnings=warnings)


_KINDS = {"flag": bool, "number": int, "bytes": Union[int, str], "list": Union[list, Mapping, str], "range": Union[range, str],
          "dimensions": Union[tuple, int, str], "text": Union[str, int, float, tuple, Path], "optional file": Union[str, Path],
          "choice": str}


def keyword_of(option: str) -> str:
    """The keyword of an option: policy-plugin is policy_plugin."""
    name = option.replace("-", "_")
    return name + "_" if keyword.iskeyword(name) else name


def make(name: str) -> Callable[..., Result]:
    """The function of a command, with what the program's own table says of it."""
    command = table()[name]
    takes_program = "PROGRAM" in command["usage"]

    def function(*operands: Operand, program: Optional[Sequence[Any]] = None, executor: Any = None,
                 **options: Option) -> Result:
        if executor is None:
            return run_command(name, operands, program, options)
        if name != "sweep":
            raise TypeError(f"sluice.{name} takes no executor; sluice.sweep does")
        from . import _sweep

        return _sweep.run(*operands, executor, options)

    parameters = [inspect.Parameter("operands", inspect.Parameter.VAR_POSITIONAL, annotation=Operand)]
    lines = [command["summary"][0].upper() + command["summary"][1:] + ".", "", f"sluice {name} {command['usage']}", ""]
    lines += ["\n".join(textwrap.wrap(part, 100)) + "\n" for part in command["description"].split("\n\n")] + ["Options:"]
    if takes_program:
        parameters.append(inspect.Parameter("program", inspect.Parameter.KEYWORD_ONLY, default=None,
                                            annotation=Optional[Sequence[Any]]))
        lines.append("  program: what the command line has after '--': [\"./app\", 1024]")
    if name == "sweep":
        parameters.append(inspect.Parameter("executor", inspect.Parameter.KEYWORD_ONLY, default=None, annotation=Any))
        lines.append("  executor: a concurrent.futures.Executor, or what has its submit(): runs the points, costliest first")
    for option in command["options"]:
        word, choices = keyword_of(option["name"]), option.get("choices")
        parameters.append(inspect.Parameter(word, inspect.Parameter.KEYWORD_ONLY, default=None,
                                            annotation=Optional[_KINDS[option["kind"]]]))
        line = f"{word}: {option['help']}" + ("; one of " + ", ".join(choices) if choices else "")
        lines += textwrap.wrap(line, 100, initial_indent="  ", subsequent_indent="      ")
    lines += ["", "Examples, as typed:"] + [f"  {example['line']}" for example in command["examples"]]
    function.__name__ = function.__qualname__ = keyword_of(name)
    function.__module__ = "sluice"
    function.__doc__ = "\n".join(lines)
    function.__signature__ = inspect.Signature(parameters, return_annotation=Result)  # type: ignore[attr-defined]
    return function
