# SPDX-License-Identifier: MIT
"""The package for Python: what it says of traces and commands is what the library and the program say."""
import csv
import ctypes
import inspect
import io
import os
import re
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path

from tap import Skip, need, raises

import sluice
from sluice import _commands, _find, _library

SOURCE = Path(os.environ["SLUICE_SOURCE"])
PROGRAM = str(_find.program())


def typed(*words):
    return subprocess.run([PROGRAM, *words], check=True, stdout=subprocess.PIPE, encoding="utf-8").stdout


def structs():
    """has the structs of the library's headers"""
    lines = []
    for struct in _library.STRUCTS:
        name = struct.__name__
        lines.append(f'printf("{name} %zu\\n", sizeof({name}));')
        lines += [f'printf("{name}.{field} %zu\\n", offsetof({name}, {field}));' for field, _ in struct._fields_]
    Path("layout.c").write_text('#include <stdio.h>\n#include <sluice/sluice.h>\nint main(void) {' + "\n".join(lines) + "}")
    subprocess.run([os.environ.get("CC", "cc"), f"-I{SOURCE}/include", "layout.c", "-o", "layout"], check=True)
    found = dict(line.split() for line in subprocess.run(["./layout"], stdout=subprocess.PIPE, text=True).stdout.splitlines())
    for struct in _library.STRUCTS:
        assert int(found[struct.__name__]) == ctypes.sizeof(struct), struct
        for field, _ in struct._fields_:
            assert int(found[f"{struct.__name__}.{field}"]) == getattr(struct, field).offset, (struct, field)


def enums():
    """has the names of the library's headers, and its version"""
    text = "".join((SOURCE / "include" / "sluice" / name).read_text() for name in ("trace.h", "error.h"))
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
    for prefix, enum, names in (("SL_", "sl_status", _library.STATUS), ("SL_MEM_", "sl_mem_space", _library.SPACES),
                                ("SL_ACCESS_", "sl_mem_access", _library.ACCESSES)):
        listed = re.findall(r"\bSL_\w+", re.search(rf"typedef enum {enum} {{(.*?)}}", text, re.DOTALL)[1])
        assert [name for name in listed if name.startswith(prefix) and name != "SL_MEM_ACCESSES"] == \
            [prefix + name.upper() for name in names], enum
    assert _library.load().sl_version().decode() == sluice.__version__


def kernels_and_launches():
    """shows the kernels, launches and memory instructions of a trace"""
    sluice.trace("vecadd", "n=1000", output="vecadd.slt")
    with sluice.Trace("vecadd.slt") as trace:
        (launch,), (kernel,) = trace.launches, trace.kernels
        assert launch.kernel is kernel and kernel.name == "vecadd" and launch.lanes == 32 and launch.failure is None
        assert [(i.access, i.space, i.width) for i in kernel.memory] == [("load", "global", 4)] * 2 + [("store", "global", 4)]
        assert kernel.loads == kernel.memory[:2] and kernel.memory[0].opcode.startswith("ld.global")
        assert "vecadd.cu:" in kernel.memory[0].source
        assert [a.bytes for a in launch.allocations] == [4000] * 3
        assert trace.bytes == os.path.getsize("vecadd.slt") and "sluice trace" in trace.producer and trace.damage is None


def addresses():
    """has the addresses of lanes as arrays"""
    np = need("numpy")
    with sluice.Trace("vecadd.slt") as trace:
        launch = trace.launches[0]
        a, b, c = sorted(launch.allocations, key=lambda allocation: allocation.base)
        one = launch.accesses(launch.kernel.memory[0])
        # 1000 elements: 31 warps, and a last one of 8 lanes
        assert len(one) == 32 and set(one.slot) == {0} and set(one.width) == {4}
        assert one.mask[:31].tolist() == [2**32 - 1] * 31 and one.mask[31] == 0xFF
        assert one.addresses.tolist() == [a.base + 4 * i for i in range(1000)]
        assert one.matrix.shape == (32, 32) and one.matrix[31, 7] == a.base + 4 * 999 and one.matrix[31, 8] == 0
        assert one.active.sum() == 1000
        warps = launch.block[0] // 32
        assert (one.block * warps + one.warp).tolist() == list(range(32))
        everything = launch.accesses()
        assert len(everything) == 96 and everything.slot[:6].tolist() == [0, 1, 2, 0, 1, 2]
        assert np.concatenate([part.addresses for part in launch.chunks(rows=7)]).tolist() == everything.addresses.tolist()
        first = launch.accesses(blocks=range(0, 1))
        assert len(first) == 3 * warps and set(first.block) == {0}
        assert len(launch.accesses(blocks=range(1000, 1001))) == 0


def counts_agree():
    """has as many accesses as 'sluice info' counts"""
    sluice.trace("spmv", output="spmv.slt", size="small")  # which later tests read, too
    np = need("numpy")
    with sluice.Trace("spmv.slt") as trace:
        launch = trace.launches[0]
        requests = np.bincount(launch.accesses().slot, minlength=len(launch.kernel.memory))
        rows = {row["pc"]: row for row in sluice.info(trace).loads}
        for i in launch.kernel.memory:
            counted = rows[i.pc]["ld_requests" if i.access == "load" else "st_requests"]
            assert counted == requests[i.slot], i


def closed_trace():
    """says so of a trace that is closed, damaged, or none"""
    need("numpy")
    trace = sluice.Trace("vecadd.slt")
    launch = trace.launches[0]
    chunks = launch.chunks(rows=1)
    next(chunks)
    trace.close()
    with raises(sluice.SluiceError, "vecadd.slt: the trace is closed"):
        next(chunks)
    with raises(sluice.SluiceError, "closed"):
        launch.accesses()
    Path("none.slt").write_text("nothing")
    with raises(sluice.SluiceError, "not a Sluice trace") as caught:
        sluice.Trace("none.slt")
    assert caught[0].location == "none.slt" and caught[0].code == "invalid"
    Path("cut.slt").write_bytes(Path("spmv.slt").read_bytes()[:-100])
    assert sluice.Trace("cut.slt").damage.code == "corrupt"
    with sluice.Trace("vecadd.slt") as trace, raises(sluice.SluiceError, "there is none with number 3"):
        trace.launches[0].accesses(3)


def all_commands():
    """has a function for every command, with its options and its help"""
    for command in _commands.table().values():
        function = getattr(sluice, _commands.keyword_of(command["name"]))
        parameters = inspect.signature(function).parameters
        for option in command["options"]:
            assert _commands.keyword_of(option["name"]) in parameters, option
        assert command["examples"][0]["line"] in function.__doc__
    assert "import_" in dir(sluice)
    with raises(AttributeError, "no attribute 'modle'"):
        sluice.modle
    from sluice import model
    assert "GPU model: a name" in " ".join(model.__doc__.split())


def same_as_typed():
    """gives what the command prints"""
    result = sluice.model("spmv.slt", gpu="fermi-gtx470", set={"L1.ways": 8, "L1.size": "32K"})
    words = ["model", "spmv.slt", "--gpu", "fermi-gtx470", "--set", "L1.ways=8", "--set", "L1.size=32K"]
    assert result.text == str(result) == typed(*words)
    rows = list(csv.DictReader(io.StringIO(typed(*words, "--csv"))))
    assert [{key: str(value) for key, value in row.items()} for row in result.rows] == rows
    assert result["launches"][0]["counters"]["ld_sectors"] == result.rows[0]["ld_sectors"]
    assert sum(row["ld_sectors"] or 0 for row in result.loads) == result.rows[0]["ld_sectors"]
    assert result.exit_code == 0 and result.warnings == [] and result.findings == result["findings"]


def options():
    """takes flags, lists, sizes and ranges as Python has them"""
    given = _commands.given
    assert given("no_latency", True) == ["--no-latency"] and given("no_latency", False) == given("size", None) == []
    assert given("gpu", ["a", "b"]) == ["--gpu=a", "--gpu=b"] and given("grid", (4, 2)) == ["--grid=4,2"]
    assert given("launch", range(2, 5)) == ["--launch=2-4"] and given("source", Path("x")) == ["--source=x"]
    sluice.profile("spmv.slt", json="kept.json")
    assert '"command": "profile"' in Path("kept.json").read_text()


def wrong_options():
    """raises what is wrong, with location and reason"""
    with raises(sluice.SluiceError, "unknown option '--gpuu'; did you mean '--gpu'?") as caught:
        sluice.model("spmv.slt", gpuu="h200")
    assert caught[0].code == "usage" and caught[0].location is None and caught[0].result is None
    Path("wide.yaml").write_text("based_on: h200\nlevels:\n  - name: L1\n    wys: 8\n")
    with raises(sluice.SluiceError, "wide.yaml:4:5: a level has no key 'wys'") as caught:
        sluice.model("spmv.slt", gpu="wide.yaml")
    assert caught[0].location == "wide.yaml:4:5" and caught[0].message.startswith("a level has") and caught[0].code == "failure"


def comparisons():
    """compares results, and raises where a gate fails"""
    a, b = (sluice.model("spmv.slt", gpu="fermi-gtx470", set={"L1.size": size}) for size in ("16K", "4K"))
    result = sluice.compare(a, b)
    total = result["total"]
    assert total["b"]["ld_sector_misses"] == b.rows[0]["ld_sector_misses"] > total["a"]["ld_sector_misses"]
    with raises(sluice.SluiceError, "it fails 'ld_sector_misses > +1%'") as caught:
        sluice.compare(a, b, fail_if="ld_sector_misses > +1%")
    assert caught[0].result["total"] == total


def simulates_and_tunes():
    """simulates, tunes and sweeps"""
    result = sluice.sim("spmv.slt", gpu="fermi-gtx480", l1="decoupled")
    assert result.rows[0]["cycles"] > 0
    tuned = sluice.tune("spmv.slt", gpu="fermi-gtx480", output="plan.json")
    assert tuned.rows[0]["kernel"] == "spmv" and Path("plan.json").exists()
    Path("s.yaml").write_text("kind: model\ntraces: spmv.slt\nmachines: fermi-gtx470\nset: {L1.size: [8K, 16K, 32K]}\n")
    sizes = sluice.sweep("s.yaml")
    assert len(sizes.rows) == 3 and len({row["ld_sector_hits"] for row in sizes.rows}) == 3


def sweeps_with_executors():
    """runs the points of a sweep with an executor"""
    Path("spread.yaml").write_text("kind: model\ntraces: spmv.slt\nmachines: fermi-gtx470\nl1: [lru, fifo]\nparts: 2\n")
    alone = sluice.sweep("spread.yaml", database="alone.sqlite")
    assert [row["part"] for row in alone.rows] == ["0/2", "1/2"] * 2
    for kind in (ThreadPoolExecutor, ProcessPoolExecutor):
        with kind(2) as executor:
            spread = sluice.sweep("spread.yaml", executor=executor, database=f"{kind.__name__}.sqlite")
        assert spread.rows == alone.rows
    with raises(TypeError):
        sluice.model("spmv.slt", executor=object())
    Path("broken.yaml").write_text("traces: [spmv.slt]\nmachines: fermi-gtx470\nplan: [missing.json]\n")
    with ThreadPoolExecutor(1) as executor, raises(sluice.SluiceError):
        sluice.sweep("broken.yaml", executor=executor)


def tables_and_pages():
    """shows results as tables of pandas and as parts of the page"""
    result = sluice.model("spmv.slt", source=SOURCE)
    assert {"findings", "overview", "kernel-0"} <= set(result.parts)
    shown = result._repr_html_()
    assert "srcdoc=" in shown and "&lt;h2&gt;" in shown and "&lt;script" not in shown
    assert "&lt;script" in result.html()  # the whole page draws charts
    assert sluice.explain()._repr_html_().startswith("<pre>")
    need("pandas")
    assert result.to_pandas().ld_sectors.sum() == result.rows[0]["ld_sectors"]
    assert len(result.to_pandas("loads")) == len(result.loads)


class Oldest(sluice.Policy):
    """evicts the line that was used longest ago"""

    def __init__(self, sets, ways):
        self.last, self.now = {}, 0

    def on_hit(self, access, way):
        self.now += 1
        self.last[access.set, way] = self.now

    on_fill = on_hit

    def victim(self, access, ways):
        return min(ways, key=lambda way: self.last[access.set, way])


class Chosen(sluice.Policy):
    """evicts a way that a parameter says"""

    parameters = {"way": (0, 0, 99, "the way")}
    calls = []

    def __init__(self, sets, ways, way):
        self.way = way
        self.calls.append((sets, ways, way))

    def on_evict(self, set, way, reused):
        assert way == self.way or self.way == 77

    def victim(self, access, ways):
        assert access.kind == "load" and access.line > 0
        return self.way


def policies():
    """models with policies written in Python as with built-in ones"""
    with sluice.Trace("spmv.slt") as trace:
        gpu = {"gpu": "fermi-gtx470", "set": {"L1.size": "4K"}}
        built_in = sluice.model(trace, **gpu)
        ours = trace.model("fermi-gtx470", {"L1.size": "4K", "L1.replacement": "oldest"}, [Oldest])
        names = [name for name in ours.rows[0] if name.startswith("ld_") or name.endswith("_sectors")]
        assert len(names) > 8 and built_in.rows[0]["conflict_sectors"] > 0
        for name in names:
            assert built_in.rows[0][name] == ours.rows[0][name], name
        assert trace.model("fermi-gtx470", {"L1.size": "4K", "L1.replacement": "lru"}).rows == ours.rows
        trace.model("fermi-gtx470", ["L1.size=4K", "L1.replacement=chosen(way=1)"], [Chosen])
        assert (8, 4, 1) in Chosen.calls  # 4 KiB of 4 ways and lines of 128 bytes
        with raises(sluice.SluiceError, "chosen"):
            trace.model("fermi-gtx470", {"L1.size": "4K", "L1.replacement": "chosen(way=77)"}, [Chosen])
        with raises(sluice.SluiceError, "the nearest is 'chosen'"):
            trace.model("fermi-gtx470", {"L1.replacement": "chosn"}, [Chosen])

        class Broken(sluice.Policy):
            """has no victim"""

        with raises(NotImplementedError, "Broken does not say what to evict"):
            trace.model("fermi-gtx470", {"L1.size": "4K", "L1.replacement": "broken"}, [Broken])


def programs():
    """runs CUDA programs, and gives what they print and return"""
    folder = Path(os.environ.get("SLUICE_PROGRAMS", ""))
    if not os.access(folder / "bfs", os.X_OK):
        raise Skip("the CUDA programs were not built")
    result = sluice.run(program=[folder / "bfs"])
    assert "PASSED" in result.output and result.exit_code == 0 and result.rows
    result = sluice.run(program=["/bin/sh", "-c", "echo said; exit 3"])
    assert result.output == "said\n" and result.exit_code == 3 and result.rows == []


def installed_by_pip():
    """is installed by pip without a network"""
    if subprocess.run([sys.executable, "-m", "pip", "--version"], stdout=subprocess.DEVNULL,
                      stderr=subprocess.DEVNULL).returncode:
        raise Skip("pip is not installed")
    subprocess.run([sys.executable, "-m", "pip", "install", "-q", "--no-index", "--target", "there", SOURCE / "python"],
                   check=True, stdout=subprocess.DEVNULL)
    shown = subprocess.run([sys.executable, "-c", "import sluice; print(sluice.__file__, len(sluice.machines().rows))"],
                           env={**os.environ, "PYTHONPATH": "there"}, stdout=subprocess.PIPE, text=True, check=True).stdout
    assert shown.split()[0] == str(Path("there/sluice/__init__.py").resolve()) and int(shown.split()[1]) > 10


TESTS = [structs, enums, kernels_and_launches, addresses, counts_agree, closed_trace, all_commands, same_as_typed, options,
         wrong_options, comparisons, simulates_and_tunes, sweeps_with_executors, tables_and_pages, policies, programs, installed_by_pip]
