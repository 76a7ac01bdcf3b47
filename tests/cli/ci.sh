#!/bin/sh
# SPDX-License-Identifier: MIT
# What examples/ci has for the CI of others: the gate as a script, and the steps of workflow and Dockerfile.
. "${SLUICE_SOURCE:?}/tests/tap.sh"
ci=$source_root/examples/ci
PATH=$(dirname "$sluice"):$PATH
export PATH
gate() { run env GPU=fermi-gtx470 "$ci/check-kernels" "$@"; }

it 'makes a baseline first'
if [ -x "${SLUICE_PROGRAMS:-}/particles" ] && [ -z "${SLUICE_SANITIZERS:-}" ]; then
    gate base.json -- "$SLUICE_PROGRAMS/particles"
    exits 0
    stdout_is 'check-kernels: made base.json; check it in'
    file_has base.json '"command": "model"'

    it 'passes where nothing changed'
    gate base.json -- "$SLUICE_PROGRAMS/particles"
    exits 0

    it 'fails where a kernel got worse, and says by how much'
    sed -E 's/"(ld_sector_misses|dram_read_sectors)": [0-9]+/"\1": 9/' base.json >better.json
    gate better.json -- "$SLUICE_PROGRAMS/particles"
    [ "$status" != 0 ] || fail 'it passed'
    stderr_has "it fails 'ld_sector_misses > +5%'"
    gate better.json 'ld_requests > +1%' -- "$SLUICE_PROGRAMS/particles"
    exits 0
else
    skip 'the CUDA programs were not built'
fi

if [ -x "${SLUICE_PROGRAMS:-}/particles" ] && [ -z "${SLUICE_SANITIZERS:-}" ]; then
    it 'runs as an action: with a baseline, findings, a comment and outputs'
    action() { run env PROGRAM="$SLUICE_PROGRAMS/particles" BASELINE=action.json GPU=fermi-gtx470 GITHUB_OUTPUT=outputs \
        GITHUB_STEP_SUMMARY=summary "$@" sh "$ci/action"; }
    action
    exits 0
    stdout_is 'check-kernels: made action.json; check it in'
    action CONDITIONS='est_cycles > +3%
ld_requests > +1%'
    exits 0
    file_has outputs 'sarif=sluice.sarif'
    file_has summary 'A and B take the same time'
    file_has sluice.sarif '"version": "2.1.0"'
    sed -E 's/"est_cycles": [0-9]+/"est_cycles": 9/' action.json >slower.json
    mv slower.json action.json
    action
    exits 123 # of xargs
    file_has sluice.md '| all launches | A | B | change |'
    if python=$(sh "$source_root/tests/python/find.sh" yaml); then
        run "$python" -c 'import sys, yaml
action, job = (yaml.safe_load(open(name)) for name in sys.argv[1:])
print(action["runs"]["using"], len(action["inputs"]), job["kernels"]["variables"]["PROGRAM"])' "$source_root/action.yml" "$ci/gitlab.yml"
        stdout_is 'composite 5 ./app'
    fi
fi

it 'explains itself'
gate base.json
exits 2
stderr_has 'check-kernels BASELINE.json [CONDITION...] -- PROGRAM'

it 'has a workflow with commands that there are'
commands=$(sed -n 's/.*run: //; s/^ *sluice \([a-z]*\) .*/\1/p' "$ci/github-workflow.yml")
[ -n "$commands" ] || fail 'no commands were found'
for command in $commands; do
    "$sluice" help "$command" >/dev/null 2>&1 || echo "$command"
done >unknown
[ "$(grep -c . unknown)" = 0 ] || fail "unknown: $(cat unknown)"
if python=$(sh "$source_root/tests/python/find.sh" yaml); then
    run "$python" -c 'import sys, yaml; print(len(yaml.safe_load(open(sys.argv[1]))["jobs"]["memory"]["steps"]))' "$ci/github-workflow.yml"
    stdout_is 4
fi

it 'has a Dockerfile whose steps are those of the README, and whose files exist'
file_has "$source_root/README.md" './dev package'
file_has "$ci/Dockerfile" 'RUN ./dev package'
files=$(sed -n '/build\/\*/d; s|^COPY --from=build \(.*\) [^ ]*$|\1|p' "$ci/Dockerfile" | tr ' ' '\n' | sed 's|^/sluice/||')
[ -n "$files" ] || fail 'no files were found'
for file in $files; do
    exists "$source_root/$file"
done

done_testing
