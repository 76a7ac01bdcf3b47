# SPDX-License-Identifier: MIT
"""Runs what a description for a service says, line by line, without the service:

    ci_steps.py action action.yml NAME=VALUE...   the steps of a composite action with these inputs; prints its outputs
    ci_steps.py workflow WORKFLOW.yml             the `run` lines of every job
    ci_steps.py gitlab FILE.yml                   the scripts of every job, with its variables

They run in the current folder. What the image of examples/ci/Dockerfile has in /usr/local/bin is found in examples/ci."""
import os
import re
import subprocess
import sys
from pathlib import Path

import yaml

CI = Path(__file__).resolve().parents[2] / "examples" / "ci"


def fill(text, values):
    """Expressions of GitHub; an unknown one is an error."""
    return re.sub(r"\$\{\{\s*([\w.-]+)\s*\}\}", lambda match: values[match[1]], str(text))


def run(script, shell="sh", **environment):
    """As the services do: the first line that fails ends it."""
    words = {"sh": ["sh", "-e"], "bash": ["bash", "-e", "-o", "pipefail"]}[shell]
    done = subprocess.run([*words, "-c", script], env={**os.environ, **environment})
    if done.returncode:
        sys.exit(done.returncode)


def action(path, *given):
    description = yaml.safe_load(Path(path).read_text())
    assert description["runs"]["using"] == "composite"
    inputs = dict(word.split("=", 1) for word in given)
    unknown = set(inputs) - set(description["inputs"])
    assert not unknown, f"the action has no inputs {unknown}"
    values = {"github.action_path": str(Path(path).resolve().parent)}
    for name, facts in description["inputs"].items():
        assert name in inputs or not facts.get("required"), f"input {name} is missing"
        values[f"inputs.{name}"] = inputs.get(name, str(facts.get("default", "")))
    code = 0
    for step in description["runs"]["steps"]:
        output = Path(f"output-of-{step['id']}").resolve()
        output.write_text("")
        environment = {name: fill(text, values) for name, text in step.get("env", {}).items()}
        try:
            run(fill(step["run"], values), step["shell"], GITHUB_OUTPUT=str(output), **environment)
        except SystemExit as end:
            code = end.code
        for line in output.read_text().splitlines():
            name, _, value = line.partition("=")
            values[f"steps.{step['id']}.outputs.{name}"] = value
        if code:
            break
    for name, facts in description["outputs"].items():
        print(f"{name}: {fill(facts['value'], values)}")
    sys.exit(code)


def workflow(path):
    for job in yaml.safe_load(Path(path).read_text())["jobs"].values():
        for step in job["steps"]:
            if "run" in step:
                run(step["run"], "bash", PATH=f"{CI}:{os.environ['PATH']}")


def gitlab(path):
    for job in yaml.safe_load(Path(path).read_text()).values():
        variables = {name: str(value) for name, value in job.get("variables", {}).items()}
        run("\n".join(job["script"]).replace("/usr/local/bin", str(CI)), **variables)


{"action": action, "workflow": workflow, "gitlab": gitlab}[sys.argv[1]](*sys.argv[2:])
