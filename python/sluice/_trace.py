# SPDX-License-Identifier: MIT
"""Traces: kernels, launches, memory instructions, and what warps accessed, as NumPy arrays."""
from __future__ import annotations

import ctypes
import os
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Dict, Iterator, List, Optional, Sequence, Tuple, Type, Union

from . import _library as c
from ._commands import Option, Result, Row, given
from ._error import SluiceError
from ._policy import Policy, in_use

if TYPE_CHECKING:
    import numpy


@dataclass(frozen=True)
class Instruction:
    """A memory instruction of a kernel."""

    slot: int  #: its number among the memory instructions of the kernel
    opcode: str  #: "ld.global.f32"
    access: str  #: "load", "store", "atomic", "reduction", "prefetch", "async_copy", "bulk_load", ...
    space: str  #: "global", "shared", "local", "const", "texture", "generic"
    width: int  #: bytes of each lane
    pc: int  #: position in the kernel's listing
    ptx_line: int
    source: Optional[str]  #: "kernel.cu:12"
    array: Optional[str]  #: what it accesses: a parameter or a variable


@dataclass(frozen=True)
class Kernel:
    """A kernel of a trace."""

    name: str
    symbol: str
    instructions: int  #: all that it has
    memory: Tuple[Instruction, ...]  #: its memory instructions
    registers: int  #: per thread; 0: unknown
    static_shared_bytes: int
    local_bytes: int

    @property
    def loads(self) -> Tuple[Instruction, ...]:
        """Its loads, of any space."""
        return tuple(i for i in self.memory if i.access == "load")


@dataclass(frozen=True)
class Allocation:
    """Memory that was allocated when a launch ran."""

    base: int
    bytes: int
    label: Optional[str]


@dataclass(frozen=True, eq=False)
class Accesses:
    """Accesses of warps, a row each, in the order of the trace: blocks, their warps, and what each did in turn."""

    block: "numpy.ndarray"  #: [rows] number of the block in the grid
    warp: "numpy.ndarray"  #: [rows] of the block
    slot: "numpy.ndarray"  #: [rows] the memory instruction: kernel.memory[slot]
    width: "numpy.ndarray"  #: [rows] bytes of each lane
    mask: "numpy.ndarray"  #: [rows] lanes that take part, a bit each
    addresses: "numpy.ndarray"  #: of the lanes that take part, row by row
    lanes: int  #: of a warp: 32 or 64

    def __len__(self) -> int:
        return len(self.slot)

    @property
    def active(self) -> "numpy.ndarray":
        """[rows, lanes] whether the lane takes part."""
        import numpy as np

        return (self.mask[:, None] >> np.arange(self.lanes, dtype=np.uint64)) & np.uint64(1) != 0

    @property
    def matrix(self) -> "numpy.ndarray":
        """[rows, lanes] the addresses, a row each; 0 for lanes that take no part."""
        import numpy as np

        matrix = np.zeros((len(self), self.lanes), np.uint64)
        matrix[self.active] = self.addresses
        return matrix


_COLUMNS = {"block": "uint64", "warp": "uint32", "slot": "uint32", "width": "uint32", "mask": "uint64", "addresses": "uint64"}


class Launch:
    """A launch of a trace: kernel, index (among all launches of the program), grid, block, lanes, stream, blocks (recorded),
    failure (None: it did not fail), original (index of the launch that it repeats; None: it repeats none)."""

    def __init__(self, trace: Trace, number: int) -> None:
        raw = c.load().sl_trace_launch_at(trace._trace, number).contents
        self._trace, self._number = trace, number
        self.kernel: Kernel = trace.kernels[raw.kernel]
        self.index: int = raw.index
        self.grid: Tuple[int, int, int] = tuple(raw.grid)
        self.block: Tuple[int, int, int] = tuple(raw.block)
        self.lanes: int = raw.lanes
        self.stream: int = raw.stream
        self.blocks: int = raw.blocks_recorded
        self.dynamic_shared_bytes: int = raw.dynamic_shared_bytes
        self.failure: Optional[str] = (raw.failure or b"unknown").decode() if raw.failed else None
        self.original: Optional[int] = raw.original if raw.repeats else None

    def __repr__(self) -> str:
        return f"<sluice.Launch {self.index}: {self.kernel.name}, grid {self.grid}, block {self.block}>"

    @property
    def allocations(self) -> List[Allocation]:
        """What was allocated when it ran."""
        ranges = ctypes.POINTER(c.Range)()
        count = c.load().sl_trace_ranges(self._trace._trace, self._number, ctypes.byref(ranges))
        return [Allocation(r.base, r.bytes, r.label.decode() if r.label else None) for r in ranges[:count]]

    @contextmanager
    def _reader(self, instructions: Sequence[Union[Instruction, int]], blocks: Optional[range]) -> Iterator[Any]:
        """A function that puts the next rows into columns from some rows and addresses on, and says how many of both there were."""
        slots = [i if isinstance(i, int) else i.slot for i in instructions]
        first, end = (blocks.start, blocks.stop) if blocks is not None else (0, 2**64 - 1)
        reader = ctypes.c_void_p()
        c.call("sl_access_reader_create", self._trace._trace, self._number, first, end, (ctypes.c_uint32 * len(slots))(*slots),
               len(slots), ctypes.byref(reader))

        def read(columns: Dict[str, "numpy.ndarray"], most: int, rows: int = 0, addresses: int = 0) -> Tuple[int, int]:
            assert self._trace._trace  # raises where it was closed in between
            table = c.Rows(most, 0, 0, *(column[addresses if name == "addresses" else rows:].ctypes.data
                                         for name, column in columns.items()))
            c.call("sl_access_reader_next", reader, ctypes.byref(table))
            return table.count, table.addresses

        try:
            yield read
        finally:
            c.load().sl_access_reader_destroy(reader)

    def _accesses(self, columns: Dict[str, "numpy.ndarray"], rows: int, addresses: int) -> Accesses:
        return Accesses(**{name: column[: addresses if name == "addresses" else rows] for name, column in columns.items()},
                        lanes=self.lanes)

    def chunks(self, *instructions: Union[Instruction, int], blocks: Optional[range] = None,
               rows: int = 1 << 16) -> Iterator[Accesses]:
        """Its accesses, `rows` at a time: of some memory instructions (none named: all) and some blocks."""
        import numpy as np

        with self._reader(instructions, blocks) as read:
            count = rows
            while count == rows:
                columns = {name: np.empty(rows * self.lanes if name == "addresses" else rows, dtype)
                           for name, dtype in _COLUMNS.items()}
                count, addresses = read(columns, rows)
                if count:
                    yield self._accesses(columns, count, addresses)

    def accesses(self, *instructions: Union[Instruction, int], blocks: Optional[range] = None) -> Accesses:
        """All of them at once: 28 bytes for each access of a warp, and 8 for each lane that takes part."""
        import numpy as np

        columns = {name: np.empty(0, dtype) for name, dtype in _COLUMNS.items()}
        rows = addresses = 0
        with self._reader(instructions, blocks) as read:
            while True:
                most = min(max(rows, 1 << 12), 1 << 16)  # at a time
                for name, column in columns.items():
                    used, more = (addresses, most * self.lanes) if name == "addresses" else (rows, most)
                    if used + more > len(column):  # far more room than needed: what is not written takes no memory
                        columns[name] = np.empty(max(2 * (used + more), 1 << 24 if used >> 17 else 0), column.dtype)
                        columns[name][:used] = column[:used]
                count, found = read(columns, most, rows, addresses)
                rows, addresses = rows + count, addresses + found
                if count < most:
                    return self._accesses(columns, rows, addresses)


class Trace:
    """A trace of 'sluice trace': sluice.Trace("app.slt"). Commands take it wherever they take a trace."""

    def __init__(self, path: Union[str, "os.PathLike[str]"]) -> None:
        self.path = os.fspath(path)
        opened, damage = ctypes.c_void_p(), c.Error()
        self._opened: Optional[ctypes.c_void_p] = None
        c.call("sl_trace_open", os.fsencode(self.path), ctypes.byref(opened), ctypes.byref(damage))
        self._opened = opened
        #: what is lost of a damaged file, as an exception that was not raised; None: nothing is
        self.damage = c.failure(damage) if damage.status else None
        self.producer: str = c.load().sl_trace_producer(self._trace).decode(errors="replace")
        self.kernels: List[Kernel] = [self._kernel(i) for i in range(c.load().sl_trace_kernels(self._trace))]
        self.launches: List[Launch] = [Launch(self, i) for i in range(c.load().sl_trace_launches(self._trace))]

    def __repr__(self) -> str:
        return f"<sluice.Trace {self.path}: {len(self.kernels)} kernels, {len(self.launches)} launches>"

    def close(self) -> None:
        """Closes the file; what was read stays."""
        opened, self._opened = self._opened, None
        if opened:
            c.load().sl_trace_close(opened)

    @property
    def _trace(self) -> ctypes.c_void_p:
        if not self._opened:
            raise SluiceError("the trace is closed", self.path, "invalid")
        return self._opened

    def __enter__(self) -> Trace:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        if getattr(self, "_opened", None):
            self.close()

    @property
    def bytes(self) -> int:
        """Of the file."""
        return c.load().sl_trace_bytes(self._trace)

    def _kernel(self, index: int) -> Kernel:
        raw = c.load().sl_trace_kernel_at(self._trace, index)
        if not raw:
            return Kernel("(damaged)", "", 0, (), 0, 0, 0)
        k = raw.contents

        def string(offset: int) -> Optional[str]:
            return ctypes.string_at(k.strings + offset).decode(errors="replace") if offset else None

        memory = []
        for slot in range(k.mem_slots):
            i = k.inst[k.mem_inst[slot]]
            source = string(i.source_file)
            memory.append(Instruction(slot, string(i.opcode) or "", c.ACCESSES[i.access], c.SPACES[i.space], i.width, i.pc,
                                      i.ptx_line, f"{source}:{i.source_line}" if source else None, string(i.array)))
        return Kernel(k.name.decode(errors="replace"), k.symbol.decode(errors="replace"), k.insts, tuple(memory),
                      k.regs_per_thread, k.static_shared_bytes, k.local_bytes)

    def model(self, gpu: str = "h200", set: Option = None, policies: Sequence[Type[Policy]] = (), seed: int = 1,
              **without: bool) -> Result:
        """Models each launch in this process, also with policies written in Python (slow: for teaching).

        gpu, set and seed are those of sluice.model; so are no_latency, no_associativity, no_mshr and no_divergence.
        policies are classes made from sluice.Policy, which `set` can name: set={"L1.replacement": "mine(bits=3)"}.
        """
        settings = [word.split("=", 1)[1] for word in given("set", set)]
        texts = (ctypes.c_char_p * len(settings))(*(text.encode() for text in settings))
        options = c.ModelOptions(seed=seed, **without)
        rows: List[Row] = []
        loads: List[Row] = []
        with in_use(policies) as (listed, check):
            machine = ctypes.c_void_p()
            c.call("sl_machine_create", str(gpu).encode(), texts, len(settings), listed, ctypes.byref(machine))
            try:
                for launch in self.launches:
                    self._model_launch(machine, launch, options, rows, loads, check)
            finally:
                c.load().sl_machine_destroy(machine)
        return Result("model", rows, loads)

    def _model_launch(self, machine: Any, launch: Launch, options: Any, rows: List[Row], loads: List[Row], check: Any) -> None:
        result = ctypes.c_void_p()
        kernel = launch.kernel
        about: Dict[str, Any] = {"index": launch.index, "kernel": kernel.symbol, "name": kernel.name}
        try:
            try:
                c.call("sl_model_launch", machine, self._trace, launch._number, ctypes.byref(options), None,
                       ctypes.byref(result))
            finally:
                check()
            rows.append({**about, **c.counts(c.load().sl_model_total(result))})
            for i in kernel.memory:
                counted = c.counts(c.load().sl_model_slot(result, i.slot))
                if any(counted.values()):
                    loads.append({**about, "pc": i.pc, "line": i.ptx_line, "source": i.source, "opcode": i.opcode,
                                  "array": i.array, **counted})
        finally:
            c.load().sl_model_result_destroy(result)
