# SPDX-License-Identifier: MIT
"""What the server of sluice.mcp does for a call: files, limits, runs of the program, and what comes of them in words."""
from __future__ import annotations

import difflib
import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
import threading
import time
from pathlib import Path
from typing import Any, Dict, Iterable, List, Optional, Sequence, Tuple

from . import _find

POLL_SECONDS = 0.05
MAX_OUTPUT = 64 << 20  # bytes that a process may write to its standard output or error
MAX_TEXT = 20000  # characters of one text in an answer
# Options of nvcc that write no files and read none.
FLAGS = re.compile(r"-O[0-3]|-D\w+(=[\w.+-]*)?|-std=[\w+]+|-arch=\w+|--?use_fast_math|-lineinfo|-maxrregcount=\d+|-rdc=(true|false)|"
                   r"--?extended-lambda|--?expt-relaxed-constexpr|-l(cudart|curand|cublas|cublasLt|cusparse|cusolver|cuda|nvrtc|m)")
# Counters of what leaves something in global memory; surfaces count as textures.
WRITES = ("st_requests", "atom_requests", "red_requests", "bulk_st_requests", "bulk_red_requests", "tex_requests")
NUMBER = re.compile(r"[-+]?(\d+\.?\d*([eE][-+]?\d+)?|\.\d+([eE][-+]?\d+)?|inf|nan)$")


class Refused(Exception):
    """A call that is not carried out, and why."""


def nearest(name: str, known: Iterable[str]) -> Optional[str]:
    return next(iter(difflib.get_close_matches(name, list(known), 1)), None)


_TYPES = {"string": str, "array": list, "number": (int, float), "boolean": bool, "object": dict}


def check_arguments(given: Any, schema: Dict[str, Any]) -> Optional[str]:
    """What is wrong with the arguments of a tool; None: nothing."""
    if not isinstance(given, dict):
        return "'arguments' is no object"
    for name, value in given.items():
        wanted = schema["properties"].get(name)
        if not wanted:
            near = nearest(name, schema["properties"])
            return f"unknown argument {name!r}" + (f"; did you mean {near!r}?" if near else "")
        kind = wanted["type"]
        if not isinstance(value, _TYPES[kind]) or (isinstance(value, bool) and kind != "boolean"):
            return f"{name!r} is not of type {kind}"
        if kind == "array" and not all(isinstance(item, str) for item in value):
            return f"{name!r} has something that is no text"
        if "enum" in wanted and value not in wanted["enum"]:
            return f"{name!r} is one of {', '.join(wanted['enum'])}"
        if "minimum" in wanted and not value >= wanted["minimum"]:
            return f"{name!r} is at least {wanted['minimum']}"
        if any("\0" in text for text in (value if kind == "array" else [value]) if isinstance(text, str)):
            return f"{name!r} has a zero character"
    missing = next((name for name in schema["required"] if name not in given), None)
    return f"{missing!r} is missing" if missing else None


class Judge:
    """One folder and the limits of calls."""

    def __init__(self, folder: Path, seconds: float, memory: int, nvcc: Optional[str] = None) -> None:
        self.folder = folder.resolve()
        self.seconds, self.memory = seconds, memory
        self.scratch = Path(tempfile.mkdtemp(prefix="sluice-mcp-"))
        self.nvcc = nvcc or shutil.which("nvcc") or next(
            (path for path in ("/usr/local/cuda/bin/nvcc",) if os.access(path, os.X_OK)), None)

    def call(self) -> "Call":
        return Call(self)

    def close(self) -> None:
        shutil.rmtree(self.scratch, ignore_errors=True)


class Call:
    """A call of a tool: what it started ends with it, and within its limits."""

    def __init__(self, judge: Judge) -> None:
        self.judge = judge
        self.ends = time.monotonic() + judge.seconds
        self.folder = Path(tempfile.mkdtemp(dir=judge.scratch))
        self.lock = threading.Lock()
        self.process: Optional["subprocess.Popen[bytes]"] = None
        self.cancelled = False

    def cancel(self) -> None:
        with self.lock:
            self.cancelled = True

    def end(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)

    # ---- files ----

    def path(self, text: str, exists: bool = True) -> Path:
        """A path that a call names, inside of the folder."""
        path = (self.judge.folder / text).resolve()
        if path != self.judge.folder and self.judge.folder not in path.parents:
            raise Refused(f"{text}: outside of the folder that this server was started for")
        if exists and not path.is_file():
            beside = [item.name for item in path.parent.iterdir()] if path.parent.is_dir() else []
            near = nearest(path.name, beside)
            raise Refused(f"{text}: no such file" + (f"; did you mean {near!r}?" if near else ""))
        return path

    # ---- processes ----

    def run(self, words: Sequence[Any]) -> Tuple[int, str, str]:
        """Exit code, standard output and standard error of a command that runs in the folder."""
        files: List[Any] = [tempfile.TemporaryFile(dir=self.folder) for _ in range(2)]
        with self.lock:
            if self.cancelled:
                raise Refused("cancelled")
            process = subprocess.Popen([str(word) for word in words], cwd=self.judge.folder, stdin=subprocess.DEVNULL,
                                       stdout=files[0], stderr=files[1], start_new_session=True,
                                       env={**os.environ, "COLUMNS": "100", "TMPDIR": str(self.folder)})
            self.process = process
        try:
            self._wait(process, files)
        finally:
            _kill(process)
        texts = []
        for file in files:
            file.seek(0)
            texts.append(file.read().decode("utf-8", "replace"))
            file.close()
        return process.returncode, texts[0], texts[1]

    def _wait(self, process: "subprocess.Popen[bytes]", files: Sequence[Any]) -> None:
        while process.poll() is None:
            time.sleep(POLL_SECONDS)
            if self.cancelled:
                raise Refused("cancelled")
            if time.monotonic() > self.ends:
                raise Refused(f"it took longer than {self.judge.seconds:g} seconds (the server's --seconds)")
            if any(os.fstat(file.fileno()).st_size > MAX_OUTPUT for file in files):
                raise Refused(f"it wrote more than {MAX_OUTPUT >> 20} MiB of text")
            used = _resident(process.pid)
            if used > self.judge.memory:
                raise Refused(f"it took {used >> 20} MiB of memory; {self.judge.memory >> 20} are allowed (the server's --memory)")

    def sluice(self, *words: Any, program: Sequence[Any] = ()) -> Tuple[int, str, str]:
        return self.run([_find.program(), *words, *(["--", *program] if program else [])])

    # ---- inputs ----

    def compile(self, source: Path, flags: Sequence[str]) -> Path:
        wrong = next((flag for flag in flags if not FLAGS.fullmatch(flag)), None)
        if wrong:
            raise Refused(f"{wrong}: this option of nvcc is not allowed here")
        if not self.judge.nvcc:
            raise Refused(f"{source.name}: nvcc is not installed; give a compiled program")
        program = self.folder / (source.stem + f"-{len(list(self.folder.iterdir()))}")
        default = [] if any(flag.startswith("-arch") for flag in flags) else ["-arch=sm_90"]
        code, out, said = self.run([self.judge.nvcc, "-lineinfo", *default, *(flags or ["-O3"]), "-o", program, source])
        if code:
            raise Refused(f"{source.name} does not compile:\n{_cut(out + said)}")
        return program

    def input(self, text: str, args: Sequence[str], flags: Sequence[str]) -> Tuple[List[Any], List[Any]]:
        """Operands of a command, and the program behind '--'."""
        if re.fullmatch(r"\w+", text) and not (self.judge.folder / text).exists():
            if args:
                raise Refused(f"{text}: a workload takes no arguments here")
            return [text], []
        path = self.path(text)
        if path.suffix in (".slt", ".json"):
            return [path], []
        program = self.compile(path, flags) if path.suffix == ".cu" else path
        if not os.access(program, os.X_OK):
            raise Refused(f"{text}: neither a CUDA source, a program, a trace nor a workload")
        return [], [program, *args]

    def recorded(self, text: str, args: Sequence[str], flags: Sequence[str]) -> Path:
        """A trace of an input, for commands that look at it more than once."""
        operands, program = self.input(text, args, flags)
        trace = self.folder / f"{len(list(self.folder.iterdir()))}.slt"
        code, _, said = self.sluice("trace", "-q", "-o", trace, *operands, program=program)
        if not trace.exists():
            raise Refused(_errors(said) or f"{text} ended with {code}, and launched no kernel")
        return trace

    def report(self, command: str, *words: Any, program: Sequence[Any] = ()) -> Tuple[Dict[str, Any], str, str]:
        """What a command writes as JSON and as text, and what it said."""
        data, text = self.folder / "report.json", self.folder / "report.txt"
        for file in (data, text):
            file.unlink(missing_ok=True)
        code, _, said = self.sluice(command, *words, "--json", data, "-o", text, program=program)
        if not data.exists():
            raise Refused(_errors(said) or f"sluice {command} ended with {code}")
        return json.loads(data.read_text(encoding="utf-8")), text.read_text(encoding="utf-8") if text.exists() else "", said

    # ---- tools ----

    def check(self, input: str, args: Sequence[str] = (), flags: Sequence[str] = (), reference: Optional[str] = None,
              tolerance: float = 0) -> Tuple[str, Any]:
        operands, program = self.input(input, args, flags)
        problems: List[str] = []
        shown: Dict[str, Any] = {"input": input, "problems": problems}
        for what in ("uninit", "race"):
            data = self.folder / f"{what}.json"
            code, out, said = self.sluice("run", f"--check={what}", "--json", data, *operands, program=program)
            for line in _errors(said).splitlines():
                if line not in problems:
                    problems.append(line)
            if code and not _errors(said):
                problems.append(f"it ends with exit code {code}")
            if what == "uninit":
                shown["output"] = _cut(out)
                report = json.loads(data.read_text(encoding="utf-8")) if data.exists() else {}
                problems += _idle_kernels(report)
        if reference:
            operands, program = self.input(reference, args, flags)
            code, wanted, said = self.sluice("run", "-q", *operands, program=program)
            if code:
                raise Refused(f"the reference {reference} ends with exit code {code}: {_errors(said)}")
            difference = _difference(wanted, shown["output"], tolerance)
            if difference:
                problems.append(f"its output differs from that of {reference}: {difference}")
            shown["compared"] = not difference
        shown["right"] = not problems
        if problems:
            return f"{input} is wrong:\n" + "\n".join(f"- {_cut(problem)}" for problem in problems), shown
        return (f"{input} passes: no race, no access outside of allocations or to freed or unwritten memory, nothing that is not "
                "waited for" + (f", and the output of {reference}" if reference else "; its results were compared with nothing")
                + "."), shown

    def explain(self, input: str, args: Sequence[str] = (), flags: Sequence[str] = (), gpu: str = "h200") -> Tuple[str, Any]:
        data, text, _ = self.report("model", self.recorded(input, args, flags), "--gpu", gpu)
        return _cut(text), data

    def compare(self, a: str, b: str, args: Sequence[str] = (), flags: Sequence[str] = (), gpu: str = "h200",
                simulate: bool = False, match: Sequence[str] = ()) -> Tuple[str, Any]:
        sides = [self.recorded(side, args, flags) for side in (a, b)]
        options = ["--gpu", gpu, *(["--sim"] if simulate else []), *(f"--match={pair}" for pair in match)]
        data, text, _ = self.report("compare", *sides, *options)
        return _cut(text.replace(str(sides[0]), a).replace(str(sides[1]), b)), data

    def what_if(self, input: str, rule: str, args: Sequence[str] = (), flags: Sequence[str] = (),
                gpu: str = "h200") -> Tuple[str, Any]:
        if rule.startswith("-"):
            raise Refused(f"{rule}: not the name of a rule")
        data, text, _ = self.report("model", self.recorded(input, args, flags), "--gpu", gpu, f"--what-if={rule}")
        return _cut(text), data

    def tune(self, input: str, gpu: str = "h200", size: str = "default", plan: str = "plan.json") -> Tuple[str, Any]:
        operands, program = self.input(input, [], [])
        if program:
            raise Refused(f"{input}: tuned are workloads; for a program, 'sluice tune --on gpu' needs a GPU")
        path = self.path(plan, exists=False)
        if path.exists():
            raise Refused(f"{plan}: exists already")
        words = [*operands, "--on", "sim", "--gpu", gpu, "-o", path]
        if not str(operands[0]).endswith(".slt"):
            words += ["--size", size]
        data = self.folder / "tuned.json"
        code, out, said = self.sluice("tune", *words, "--json", data)
        if not data.exists():
            raise Refused(_errors(said) or f"sluice tune ended with {code}")
        result = json.loads(data.read_text(encoding="utf-8"))
        return _cut(said + out) or f"the plan is in {plan}", result

    def machines(self) -> Tuple[str, Any]:
        data, text, _ = self.report("machines")
        return _cut(text), data


# ---- words ----


def _cut(text: str) -> str:
    text = text.strip()
    return text if len(text) <= MAX_TEXT else text[:MAX_TEXT] + f"\n... {len(text) - MAX_TEXT} more characters"


def _errors(said: str) -> str:
    """What sluice, and the emulated driver inside of the program, say that is no warning or report."""
    start = re.compile(r"sluice(?: \w+)?: (?!warning: )(.*)")
    return "\n".join(match[1] for match in map(start.match, said.splitlines()) if match)


def _idle_kernels(report: Dict[str, Any]) -> List[str]:
    """Kernels that leave nothing behind: they write no global memory in any of their launches."""
    launches = report.get("launches", [])
    if not launches:
        return ["it launches no kernel"]
    writes: Dict[str, int] = {}
    for launch in launches:
        counters = launch.get("counters", launch)
        wrote = sum(counters.get(name, 0) for name in WRITES)
        writes[launch["name"]] = writes.get(launch["name"], 0) + wrote
    return [f"kernel {name} writes nothing to global memory" for name, wrote in writes.items() if not wrote]


def _difference(wanted: str, found: str, tolerance: float) -> Optional[str]:
    """The first difference of two outputs, word for word; numbers may differ by the tolerance."""
    lines = [wanted.splitlines(), found.splitlines()]
    for number, (a, b) in enumerate(zip(*lines), 1):
        words = [a.split(), b.split()]
        if len(words[0]) != len(words[1]) or not all(_same(x, y, tolerance) for x, y in zip(*words)):
            return f"line {number} is {b[:200]!r}, and should be {a[:200]!r}"
    if len(lines[0]) != len(lines[1]):
        return f"{len(lines[1])} lines, and should be {len(lines[0])}"
    return None


def _same(a: str, b: str, tolerance: float) -> bool:
    if a == b:
        return True
    if not tolerance or not NUMBER.match(a) or not NUMBER.match(b):
        return False
    x, y = float(a), float(b)
    return abs(x - y) <= tolerance * max(abs(x), abs(y))  # false of what is not a number


# ---- processes of a session ----


def _members(session: int) -> List[Tuple[int, int]]:
    """Processes of a session, and the pages that each holds."""
    found = []
    for entry in os.listdir("/proc"):
        if not entry.isdigit():
            continue
        try:
            with open(f"/proc/{entry}/stat", encoding="ascii", errors="replace") as file:
                fields = file.read().rpartition(")")[2].split()
            if int(fields[3]) == session and fields[0] != "Z":
                found.append((int(entry), int(fields[21])))
        except (OSError, IndexError, ValueError):
            continue
    return found


def _resident(session: int) -> int:
    return sum(pages for _, pages in _members(session)) * os.sysconf("SC_PAGE_SIZE")


def _kill(process: "subprocess.Popen[bytes]") -> None:
    """Ends all of a session: what was started meanwhile, too."""
    members = _members(process.pid)
    while members:
        for number, _ in members:
            try:
                os.kill(number, signal.SIGKILL)
            except OSError:
                pass
        process.poll()
        time.sleep(POLL_SECONDS / 10)
        members = _members(process.pid)
    process.wait()
