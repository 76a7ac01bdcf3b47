# SPDX-License-Identifier: MIT
"""What docs/python.md shows comes, and the notebook runs."""
import doctest
import json
import os
import re
from pathlib import Path

from tap import Skip, need

import sluice

SOURCE = Path(os.environ["SLUICE_SOURCE"])


def programs():
    """The CUDA programs where the README has them."""
    folder = os.environ.get("SLUICE_PROGRAMS", "")
    if not os.access(Path(folder, "particles"), os.X_OK):
        raise Skip("the CUDA programs were not built")
    Path("build/release").mkdir(parents=True, exist_ok=True)
    if not Path("build/release/programs").exists():
        Path("build/release/programs").symlink_to(folder)


def python_page():
    """does what docs/python.md says"""
    need("numpy")
    need("pandas")
    programs()
    page = (SOURCE / "docs" / "python.md").read_text()
    test = doctest.DocTestParser().get_doctest(page.replace("\n```\n", "\n\n"), {}, "docs/python.md", "docs/python.md", 0)
    said = []
    runner = doctest.DocTestRunner(verbose=False)
    runner.run(test, out=said.append)
    assert not runner.failures, "".join(said)
    assert runner.tries > 30, runner.tries


def notebook():
    """runs the notebook from the first cell to the last"""
    need("numpy")
    need("pandas")
    need("matplotlib").use("Agg")
    programs()
    cells = json.loads((SOURCE / "examples" / "notebook.ipynb").read_text())["cells"]
    names = {"__name__": "__main__"}
    for number, cell in enumerate(cell for cell in cells if cell["cell_type"] == "code"):
        kinds = {output["output_type"] for output in cell["outputs"]}
        assert kinds and "error" not in kinds, f"the notebook has no outputs of cell {number}"
        exec(compile("".join(cell["source"]), f"cell {number}", "exec"), names)
    assert names["rates"][-1] > names["rates"][0] and names["best"] != "lru"


def problem_matcher():
    """writes notes that the problem matcher of examples/vscode takes"""
    matcher = json.loads((SOURCE / "examples/vscode/tasks.json").read_text())["tasks"][0]["problemMatcher"]["pattern"]
    sluice.trace("gesummv", output="notes.slt")
    sluice.model("notes.slt", gpu="fermi-gtx470", source=SOURCE, notes="notes.txt")
    notes = [re.match(matcher["regexp"], line) for line in Path("notes.txt").read_text().splitlines()]
    assert notes and all(notes), Path("notes.txt").read_text()
    for note in notes:
        assert note[matcher["file"]].endswith("gesummv.cu") and int(note[matcher["line"]]) > 0
        assert int(note[matcher["column"]]) == 1 and note[matcher["severity"]] == "note" and note[matcher["message"]]


TESTS = [problem_matcher, python_page, notebook]
