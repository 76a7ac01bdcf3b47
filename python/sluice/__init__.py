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
help(sluice.model) is what `sluice model --help` says. All give a Result. Errors are SluiceError, with a place and a reason.

The program is found as SLUICE_HOME/bin/sluice, next to this package where both were installed together, or on the PATH.
"""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, List

from . import _commands
from ._commands import Result
from ._error import SluiceError
from ._library import VERSION as __version__
from ._policy import Access, Policy
from ._trace import Accesses, Allocation, Instruction, Kernel, Launch, Trace

__all__ = ["Access", "Accesses", "Allocation", "Instruction", "Kernel", "Launch", "Policy", "Result", "SluiceError", "Trace"]

for _name in __all__:
    globals()[_name].__module__ = "sluice"

if TYPE_CHECKING:
    run: Callable[..., Result]
    trace: Callable[..., Result]
    info: Callable[..., Result]
    profile: Callable[..., Result]
    model: Callable[..., Result]
    sim: Callable[..., Result]
    sweep: Callable[..., Result]
    tune: Callable[..., Result]
    compare: Callable[..., Result]
    report: Callable[..., Result]


def __getattr__(name: str) -> Any:
    if not name.startswith("_"):
        for command in _commands.table():
            if _commands.keyword_of(command) == name:
                globals()[name] = _commands.make(command)
                return globals()[name]
    raise AttributeError(f"module 'sluice' has no attribute {name!r}")


def __dir__() -> List[str]:
    return sorted([*globals(), *map(_commands.keyword_of, _commands.table())])
