# SPDX-License-Identifier: MIT
"""Sluice, a laboratory for GPU caches, from Python.

    import sluice

    report = sluice.run(program=["./app", 1024])       # a CUDA program, without a GPU
    print(report)                                      # the text that the command prints
    report.findings[0]["text"]                         # what costs most
    sluice.model("spmv", gpu="rtx4090", l1_size="16K,64K").to_pandas()

    sluice.trace("spmv", output="spmv.slt", size="small")
    with sluice.Trace("spmv.slt") as trace:
        launch = trace.launches[0]
        launch.accesses(*launch.kernel.loads).addresses  # a NumPy array

Every command of the program is a function: run, trace, info, profile, model, sim, validate, report, compare, explain, tune,
apply, measure, ptx, sweep, reproduce, import_, workloads, machines, policies. Options are keywords with '_' for '-', and
help(sluice.model) is what `sluice model --help` says. All give a Result. Errors are SluiceError, with a location and a reason.

The program is found as SLUICE_HOME/bin/sluice, next to this package where both were installed together, or on the PATH.
"""
from __future__ import annotations

import typing as _typing

from . import _commands
from ._commands import Result
from ._error import SluiceError
from ._library import VERSION as __version__
from ._policy import Access, Policy
from ._trace import Accesses, Allocation, Instruction, Kernel, Launch, Trace

__all__ = ["Access", "Accesses", "Allocation", "Instruction", "Kernel", "Launch", "Policy", "Result", "SluiceError", "Trace"]

for _name in __all__:
    globals()[_name].__module__ = "sluice"

if _typing.TYPE_CHECKING:
    run: _typing.Callable[..., Result]
    trace: _typing.Callable[..., Result]
    info: _typing.Callable[..., Result]
    profile: _typing.Callable[..., Result]
    model: _typing.Callable[..., Result]
    sim: _typing.Callable[..., Result]
    sweep: _typing.Callable[..., Result]
    tune: _typing.Callable[..., Result]
    compare: _typing.Callable[..., Result]
    report: _typing.Callable[..., Result]


def __getattr__(name: str) -> _typing.Any:
    if not name.startswith("_"):
        for command in _commands.table():
            if _commands.keyword_of(command) == name:
                globals()[name] = _commands.make(command)
                return globals()[name]
    raise AttributeError(f"module 'sluice' has no attribute {name!r}")


def __dir__() -> _typing.List[str]:
    own = [name for name in globals() if name.startswith("__")]
    return sorted([*own, *__all__, *map(_commands.keyword_of, _commands.table())])
