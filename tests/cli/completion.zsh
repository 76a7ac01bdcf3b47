# SPDX-License-Identifier: MIT
# Usage: zsh completion.zsh FOLDER LINE...
# Types each LINE and a tab into a zsh that finds completion in FOLDER; prints the lines that come out.
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell "fpath=($1 \$fpath); autoload -U compinit; compinit -D -u
    show() { zle complete-word; print -r \"LINE:\$BUFFER:\"; BUFFER=; zle reset-prompt; }
    zle -N show; bindkey '^X' show; print READY"
zpty -r shell seen '*READY*READY*'
shift
for line; do
    zpty -n -w shell "$line"$'\x18'
    zpty -r shell seen '*LINE:*:*'
    print -r -- "$seen" | sed -n 's/.*LINE:\(.*\):.*/\1/p'
done
zpty -d shell
