# Usage: zsh completion.zsh FOLDER LINE
# Types LINE and a tab into a zsh that finds completion in FOLDER; prints the line that comes out.
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell "fpath=($1 \$fpath); autoload -U compinit; compinit -D -u
    show() { zle complete-word; print -r \"LINE:\$BUFFER:\"; }
    zle -N show; bindkey '^X' show; print READY"
zpty -r shell seen '*READY*READY*'
zpty -n -w shell "$2"$'\x18'
zpty -r shell seen '*LINE:*:*'
print -r -- "$seen" | sed -n 's/.*LINE:\(.*\):.*/\1/p'
zpty -d shell
