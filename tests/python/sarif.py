# SPDX-License-Identifier: MIT
"""Usage: sarif.py FILE: checks what SARIF 2.1.0 requires, and what code-scanning services require beyond it."""
import json
import re
import sys
import urllib.parse

log = json.load(open(sys.argv[1], encoding="utf-8"))
assert log["version"] == "2.1.0" and log["$schema"].endswith("sarif-schema-2.1.0.json")
(run,) = log["runs"]
driver = run["tool"]["driver"]
assert driver["name"] == "Sluice" and driver["version"]
rules = [rule["id"] for rule in driver["rules"]]
assert len(rules) == len(set(rules))
for rule in driver["rules"]:
    assert rule["shortDescription"]["text"] and rule["fullDescription"]["text"] and rule["help"]["text"]
prints = set()
for result in run["results"]:
    assert result["ruleId"] in rules and result["level"] in ("note", "warning"), result
    assert 0 <= result["rank"] <= 100 and len(result["message"]["text"]) > 20
    (location,) = result["locations"]
    place = location["physicalLocation"]
    uri = place["artifactLocation"]["uri"]
    assert uri and not re.search(r"[ <>\"{}|\\^]", uri), uri
    assert place["region"]["startLine"] >= 1
    assert urllib.parse.urlparse(uri).scheme in ("", "file")
    assert ("uriBaseId" in place["artifactLocation"]) == (not uri.startswith("file://")), place
    assert location["logicalLocations"][0]["fullyQualifiedName"]
    prints.add(result["partialFingerprints"]["sluiceFinding/v1"])
assert len(prints) == len(run["results"]), "two findings have one fingerprint"
print(len(run["results"]), "results")
