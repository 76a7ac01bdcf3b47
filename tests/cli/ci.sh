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

if [ -x "${SLUICE_PROGRAMS:-}/particles" ] && [ -z "${SLUICE_SANITIZERS:-}" ] && python=$(sh "$source_root/tests/python/find.sh" yaml); then
    steps() { run "$python" "$source_root/tests/python/ci_steps.py" "$@"; }
    ln -s "$SLUICE_PROGRAMS/particles" app
    printf 'app:\n\t@echo built\n.PHONY: app\n' >Makefile

    it 'has an action whose steps make a baseline, findings, a comment and outputs'
    export GITHUB_STEP_SUMMARY="$PWD/summary"
    use_action() { steps action "$source_root/action.yml" program=./app baseline=action.json gpu=fermi-gtx470 "$@"; }
    use_action
    exits 0
    stdout_has 'check-kernels: made action.json; check it in'
    use_action 'fail-if=est_cycles > +3%
ld_requests > +1%'
    exits 0
    stdout_has 'sarif: sluice.sarif'
    stdout_has 'comment: sluice.md'
    file_has summary 'A and B take the same time'
    file_has sluice.sarif '"version": "2.1.0"'
    sed -E 's/"est_cycles": [0-9]+/"est_cycles": 9/' action.json >slower.json
    mv slower.json action.json
    use_action
    exits 123 # of xargs
    stdout_has 'comment: sluice.md'
    file_has sluice.md '| all launches | A | B | change |'
    steps action "$source_root/action.yml"
    exits 1
    stderr_has 'input program is missing'

    it 'has a job for GitLab whose lines run'
    steps gitlab "$ci/gitlab.yml"
    exits 0
    stdout_has 'check-kernels: made sluice-baseline.json; check it in'
    steps gitlab "$ci/gitlab.yml"
    exits 0
    stdout_has built
    file_has sluice.md 'A and B take the same time'

    it 'has a workflow for GitHub whose lines run'
    steps workflow "$ci/github-workflow.yml"
    exits 0
    stdout_has '::notice file='
    stdout_has 'check-kernels: made baseline.json; check it in'
    steps workflow "$ci/github-workflow.yml"
    exits 0
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
it 'has a Dockerfile whose steps are those of the README, and whose files exist'
file_has "$source_root/README.md" './dev package'
file_has "$ci/Dockerfile" 'RUN ./dev package'
files=$(sed -n '/build\/\*/d; s|^COPY --from=build \(.*\) [^ ]*$|\1|p' "$ci/Dockerfile" | tr ' ' '\n' | sed 's|^/sluice/||')
[ -n "$files" ] || fail 'no files were found'
for file in $files; do
    exists "$source_root/$file"
done

done_testing
