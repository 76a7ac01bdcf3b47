# SPDX-License-Identifier: MIT
"""Replacement policies written in Python, for the model."""
from __future__ import annotations

import ctypes
from contextlib import contextmanager
from typing import Any, Callable, Dict, Iterator, List, Sequence, Tuple, Type

from . import _library as c


class Policy:
    """A replacement policy, in the words of include/sluice/policy.h. Each cache has an object of it.

        class Mru(sluice.Policy):
            "evicts the line that was used last"
            parameters = {"spare": (0, 0, 63, "so many of the lines used last are spared")}

            def __init__(self, sets, ways, spare):
                self.last, self.now, self.spare = {}, 0, spare

            def on_hit(self, access, way):
                self.now += 1
                self.last[access.set, way] = self.now

            on_fill = on_hit

            def victim(self, access, ways):
                return sorted(ways, key=lambda way: self.last[access.set, way])[-1 - min(self.spare, len(ways) - 1)]

    Its name in settings is that of the class in small letters, its summary the docstring. An access has line (byte
    address / line size), set, pc (of the memory instruction), kind ("load", ...) and pending (of hits: the line is in
    flight). An exception ends the model and is raised by it.
    """

    #: name: (default, smallest, largest, help)
    parameters: Dict[str, Tuple[int, int, int, str]] = {}

    def __init__(self, sets: int, ways: int, **parameters: int) -> None:
        """A cache of so many sets and ways is empty."""

    def victim(self, access: Access, ways: List[int]) -> int:
        """The way to evict, one of `ways`."""
        raise NotImplementedError(f"{type(self).__name__} does not say what to evict")

    def on_hit(self, access: Access, way: int) -> None:
        """A line was hit."""

    def on_fill(self, access: Access, way: int) -> None:
        """A line came."""

    def on_evict(self, set: int, way: int, reused: bool) -> None:
        """A line leaves; reused: it was hit since its fill."""


class Access:
    """What a policy knows of an access."""

    __slots__ = ("line", "set", "pc", "kind", "pending")

    def __init__(self, raw: Any) -> None:
        self.line, self.set, self.pc, self.pending = raw.line, raw.set, raw.pc, raw.pending
        self.kind = c.ACCESSES[raw.kind]


def _ways(mask: Any) -> List[int]:
    return [way for way in range(mask.ways) if mask.bits[way // 64] >> way % 64 & 1]


def _ops(policy: Type[Policy], raised: List[BaseException]) -> Any:
    """The struct of functions that calls objects of the class. `self` of the library is the number of the object."""
    objects: List[Policy] = []

    def guarded(function: Callable[..., Any], otherwise: Any) -> Callable[..., Any]:
        def guard(self: int, *arguments: Any) -> Any:
            try:
                return otherwise(*arguments) if raised else function(self, *arguments)
            except BaseException as reason:  # nothing may be raised through C
                raised.append(reason)
                return otherwise(*arguments)
        return guard

    def number(self: int) -> ctypes.c_uint32:
        return ctypes.c_uint32.from_address(self)

    def init(self: int, geometry: Any, value: Any, _arena: int, _error: Any) -> int:
        values = {name: value[i] for i, name in enumerate(policy.parameters)}
        objects.append(policy(geometry.contents.sets, geometry.contents.ways, **values))
        number(self).value = len(objects) - 1
        return 0

    def victim(self: int, access: Any, mask: Any) -> int:
        return objects[number(self).value].victim(Access(access.contents), _ways(mask.contents))

    def on_hit(self: int, access: Any, way: int) -> None:
        objects[number(self).value].on_hit(Access(access.contents), way)

    def on_fill(self: int, access: Any, way: int) -> None:
        objects[number(self).value].on_fill(Access(access.contents), way)

    def on_evict(self: int, set: int, way: int, reused: bool) -> None:
        objects[number(self).value].on_evict(set, way, reused)

    def nothing(*_: Any) -> None:
        pass

    params = [c.Param(name=name.encode(), default_value=default, min=low, max=high, help=help.encode())
              for name, (default, low, high, help) in policy.parameters.items()]
    ops = c.PolicyOps(
        name=policy.__name__.lower().encode(), summary=(policy.__doc__ or "").strip().split("\n")[0].encode(),
        source=b"Python", params=(c.Param * (len(params) + 1))(*params), state_bytes=ctypes.sizeof(ctypes.c_uint32),
        init=c.INIT(guarded(init, lambda *_: 0)), victim=c.VICTIM(guarded(victim, lambda _, mask: _ways(mask.contents)[0])),
        on_hit=c.USE(guarded(on_hit, nothing)), on_fill=c.USE(guarded(on_fill, nothing)),
        on_evict=c.EVICT(guarded(on_evict, nothing)))
    return ops


@contextmanager
def in_use(policies: Sequence[Type[Policy]]) -> Iterator[Tuple[Any, Callable[[], None]]]:
    """A list of them for a machine, alive while the context is; and what raises the exception that one of them raised."""
    raised: List[BaseException] = []
    ops = [_ops(policy, raised) for policy in policies]
    pointers = (ctypes.POINTER(c.PolicyOps) * len(ops))(*map(ctypes.pointer, ops))

    def check() -> None:
        if raised:
            raise raised[0]

    yield (ctypes.byref(c.PolicyList(len(ops), pointers)) if ops else None), check
