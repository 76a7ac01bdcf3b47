#!/bin/sh
# SPDX-License-Identifier: MIT
# What shells offer after a tab.
. "${SLUICE_SOURCE:?}/tests/tap.sh"
PATH=$(dirname "$sluice"):$PATH
export PATH
for shell in bash zsh fish; do
    "$sluice" completion "$shell" >"completion.$shell" || exit 1
done

# ---- bash ----

# What bash offers for the last of the words, in one line.
bash_offers()
{
    # shellcheck disable=SC2016
    run bash -c '. ./completion.bash; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _sluice; echo "${COMPREPLY[@]}"' bash "$@"
    exits 0
    stderr_is ''
}

it 'completes commands and options in bash'
if command -v bash >/dev/null; then
    bash_offers sluice compl
    stdout_is completion
    bash_offers sluice completion --he
    stdout_is --help
else
    skip 'bash is not installed'
fi

it 'completes values of options in bash, also behind an equals sign'
if command -v bash >/dev/null; then
    bash_offers sluice model --compat h
    stdout_is hpca14
    bash_offers sluice model --gpu fermi-gtx48
    stdout_is fermi-gtx480
    bash_offers sluice model -g = fermi-gtx48
    stdout_is fermi-gtx480
    bash_offers sluice model --output ''
    stdout_is ''
else
    skip 'bash is not installed'
fi

it 'completes names of workloads, machines, policies, commands and shells in bash'
if command -v bash >/dev/null; then
    bash_offers sluice run matmul_c
    stdout_is matmul_cached
    bash_offers sluice machines rx
    stdout_is rx6900xt
    bash_offers sluice policies srr
    stdout_is srrip
    bash_offers sluice explain l1
    stdout_is l1-thrashing
    bash_offers sluice help compl
    stdout_is completion
    bash_offers sluice completion b
    stdout_is bash
else
    skip 'bash is not installed'
fi

# ---- zsh ----

it 'completes the same in zsh'
if command -v zsh >/dev/null; then
    mkdir functions
    cp completion.zsh functions/_sluice
    run timeout 60 zsh "$source_root/tests/cli/completion.zsh" "$PWD/functions" 'sluice compl' 'sluice model --no-ass' \
        'sluice model --compat h' 'sluice model --gpu fermi-gtx48' 'sluice run matmul_c' 'sluice help compl'
    sed 's/[[:space:]]*$//' "$scratch/stdout" >completed
    printf 'sluice %s\n' completion 'model --no-associativity' 'model --compat hpca14' 'model --gpu fermi-gtx480' \
        'run matmul_cached' 'help completion' >expected
    cmp -s expected completed || fail "$(saw "not: $(cat expected)")"
else
    skip 'zsh is not installed'
fi

# ---- fish ----

it 'completes the same in fish'
if command -v fish >/dev/null; then
    while read -r typed completed; do
        run fish -N -c "source completion.fish; complete -C 'sluice $(echo "$typed" | tr / ' ')'"
        cut -f1 "$scratch/stdout" | grep -qxF -e "$completed" || fail "$(saw "no $completed for '$typed'")"
    done <<'END'
compl completion
model/--no-ass --no-associativity
model/--compat/h hpca14
model/--gpu/fermi-gtx48 fermi-gtx480
run/matmul_c matmul_cached
help/compl completion
END
else
    skip 'fish is not installed'
fi

done_testing
