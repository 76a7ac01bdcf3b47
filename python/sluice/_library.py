# SPDX-License-Identifier: MIT
"""libsluice through ctypes: the structs and functions of include/sluice that this package uses. A test compares them
with the headers."""
from __future__ import annotations

import ctypes
from ctypes import (CFUNCTYPE, POINTER, c_bool, c_char, c_char_p, c_double, c_int, c_size_t, c_uint8, c_uint16, c_uint32,
                    c_uint64, c_void_p)
from functools import lru_cache
from typing import Any, List

from . import _find
from ._error import SluiceError

VERSION = "0.2.0"
NO_WAY = 0xFFFFFFFF
STATUS = ("ok", "no_memory", "io", "syntax", "corrupt", "invalid", "not_found", "unsupported", "fault", "limit", "mismatch")
SPACES = ("none", "global", "shared", "local", "const", "texture", "generic")
ACCESSES = ("none", "load", "store", "atomic", "reduction", "prefetch", "async_copy", "bulk_load", "bulk_store",
            "bulk_reduction", "bulk_prefetch", "matrix")


def _struct(name: str, *fields: Any) -> Any:
    return type(name, (ctypes.Structure,), {"_fields_": list(fields)})


def _all(kind: Any, *names: str) -> List[Any]:
    return [(name, kind) for name in names]


Error = _struct("sl_error", ("status", c_int), *_all(c_uint32, "line", "column"), ("file", c_char * 256),
                ("text", c_char * 1024))
Inst = _struct("sl_inst", *_all(c_uint8, "op_class", "space", "access", "cache_op"), ("width", c_uint16),
               *_all(c_uint8, "dsts", "srcs"), ("regs", c_uint16 * 12),
               *_all(c_uint32, "opcode", "pc", "ptx_line", "source_file", "source_line", "inlined", "array", "mem_slot"), ("unroll", c_uint16))
Kernel = _struct("sl_trace_kernel", *_all(c_char_p, "symbol", "name"), ("insts", c_uint32), ("inst", POINTER(Inst)),
                 ("bbs", c_uint32), ("bb", c_void_p), ("mem_slots", c_uint32), ("mem_inst", POINTER(c_uint32)),
                 ("strings_bytes", c_uint32), ("strings", c_void_p), ("regs_per_thread", c_uint32),
                 ("regs_estimated", c_bool), *_all(c_uint32, "static_shared_bytes", "local_bytes"), ("jump", c_void_p),
                 *_all(c_uint32, "machine_sm", "machine_bytes"), ("machine_code", c_void_p), ("calls", c_uint32),
                 ("call", c_void_p))
Launch = _struct("sl_trace_launch", ("kernel", c_uint32), *_all(c_uint32 * 3, "grid", "block", "cluster"),
                 *_all(c_uint32, "dynamic_shared_bytes", "lanes", "preferred_shared"),
                 *_all(c_bool, "has_preferred_shared", "has_parent"),
                 *_all(c_uint64, "parent", "stream", "shared_window", "local_window", "window_bytes",
                       "blocks_recorded", "index"), ("failed", c_bool), ("failure", c_char_p),
                 ("repeats", c_bool), ("original", c_uint64), ("label", c_char_p * 3))
Range = _struct("sl_trace_range", *_all(c_uint64, "base", "bytes"), ("label", c_char_p))
Rows = _struct("sl_access_rows", *_all(c_size_t, "capacity", "count", "addresses"),
               *_all(c_void_p, "block", "warp", "slot", "width", "mask", "addr"))
CounterInfo = _struct("sl_counter_info", *_all(c_char_p, "name", "unit", "meaning", "metric"))
ModelOptions = _struct("sl_model_options", *_all(c_bool, "no_latency", "no_associativity", "no_mshr", "no_divergence"),
                       ("seed", c_uint64))
CacheAccess = _struct("sl_cache_access", ("line", c_uint64), *_all(c_uint32, "set", "pc"), ("kind", c_int),
                      ("now", c_uint64), ("pending", c_bool), ("warp", c_uint32))
CacheShape = _struct("sl_cache_geometry", *_all(c_uint32, "sets", "ways"), ("seed", c_uint64),
                     *_all(c_uint32, "instance", "instances"), *_all(c_void_p, "shared", "counts"))
WayMask = _struct("sl_way_mask", ("bits", POINTER(c_uint64)), ("ways", c_uint32))
Param = _struct("sl_param", ("name", c_char_p), ("type", c_int), *_all(c_uint64, "default_value", "min", "max"),
                ("words", c_void_p), ("help", c_char_p), ("search_values", c_void_p))

INIT = CFUNCTYPE(c_int, c_void_p, POINTER(CacheShape), POINTER(c_uint64), c_void_p, POINTER(Error))
VICTIM = CFUNCTYPE(c_uint32, c_void_p, POINTER(CacheAccess), POINTER(WayMask))
USE = CFUNCTYPE(None, c_void_p, POINTER(CacheAccess), c_uint32)
EVICT = CFUNCTYPE(None, c_void_p, c_uint32, c_uint32, c_bool)
PolicyOps = _struct("sl_policy_ops", *_all(c_char_p, "name", "summary", "source"), ("params", POINTER(Param)),
                    *_all(c_size_t, "state_bytes", "shared_bytes"), *_all(c_bool, "needs_counts", "first_level_only", "keeps"),
                    *_all(c_double, "access_nj", "leak_mw"), ("cost", c_char_p), ("init", INIT), ("victim", VICTIM),
                    *_all(c_void_p, "admit", "evict_on_bypass", "queues"), ("on_hit", USE), ("on_fill", USE), ("on_evict", EVICT),
                    *_all(c_void_p, "on_stall", "on_feedback", "report", "predict_victim", "throttle_warps",
                          "decides_alike"))
PolicyList = _struct("sl_policy_list", ("count", c_size_t), ("ops", POINTER(POINTER(PolicyOps))))

STRUCTS = (Error, Inst, Kernel, Launch, Range, Rows, CounterInfo, ModelOptions, CacheAccess, CacheShape, WayMask, Param,
           PolicyOps, PolicyList)

_OUT = POINTER(c_void_p)  # of an object that a function makes
_FUNCTIONS = {  # name: what it returns, what it takes; c_int is an sl_status, and an Error comes last then
    "sl_version": (c_char_p,),
    "sl_trace_open": (c_int, c_char_p, _OUT, POINTER(Error)),
    "sl_trace_close": (None, c_void_p),
    "sl_trace_producer": (c_char_p, c_void_p),
    "sl_trace_kernels": (c_uint32, c_void_p),
    "sl_trace_kernel_at": (POINTER(Kernel), c_void_p, c_uint32),
    "sl_trace_launches": (c_uint32, c_void_p),
    "sl_trace_launch_at": (POINTER(Launch), c_void_p, c_uint32),
    "sl_trace_ranges": (c_size_t, c_void_p, c_uint32, POINTER(POINTER(Range))),
    "sl_trace_launch_bytes": (c_uint64, c_void_p, c_uint32),
    "sl_trace_bytes": (c_uint64, c_void_p),
    "sl_access_reader_create": (c_int, c_void_p, c_uint32, c_uint64, c_uint64, POINTER(c_uint32), c_size_t, _OUT),
    "sl_access_reader_next": (c_int, c_void_p, POINTER(Rows)),
    "sl_access_reader_destroy": (None, c_void_p),
    "sl_machine_create": (c_int, c_char_p, POINTER(c_char_p), c_size_t, POINTER(PolicyList), _OUT),
    "sl_machine_destroy": (None, c_void_p),
    "sl_model_launch": (c_int, c_void_p, c_void_p, c_uint32, POINTER(ModelOptions), c_void_p, _OUT),
    "sl_model_result_destroy": (None, c_void_p),
    "sl_model_total": (c_void_p, c_void_p),
    "sl_model_slot": (c_void_p, c_void_p, c_uint32),
    "sl_counter_count": (c_size_t,),
    "sl_counter_at": (POINTER(CounterInfo), c_size_t),
    "sl_counts_value": (c_int, c_void_p, c_char_p, POINTER(c_uint64)),
}


@lru_cache(maxsize=None)
def load() -> ctypes.CDLL:
    """The library, with the types of its functions."""
    library = ctypes.CDLL(str(_find.library(VERSION)))
    for name, (result, *arguments) in _FUNCTIONS.items():
        function = getattr(library, name)
        function.restype = result
        function.argtypes = arguments + [POINTER(Error)] if result is c_int else arguments
    return library


def failure(error: Any) -> SluiceError:
    """What an sl_error says, as an exception."""
    location = ":".join([error.file.decode(errors="replace")] + [str(n) for n in (error.line, error.column) if n])
    return SluiceError(error.text.decode(errors="replace"), location if error.file else None, STATUS[error.status])


def call(name: str, *arguments: Any) -> None:
    """Calls a function that returns a status, and raises SluiceError where it fails."""
    error = Error()
    if getattr(load(), name)(*arguments, ctypes.byref(error)):
        raise failure(error)


def counts(values: int) -> dict:
    """The counters of an sl_counts that are known, by name."""
    found, value, error = {}, c_uint64(), Error()
    for i in range(load().sl_counter_count()):
        name = load().sl_counter_at(i).contents.name
        if not load().sl_counts_value(values, name, ctypes.byref(value), ctypes.byref(error)):
            found[name.decode()] = value.value
    return found
