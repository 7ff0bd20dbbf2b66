#!/usr/bin/env bash
# Colours: --color takes precedence over NO_COLOR, that over CLICOLOR_FORCE, and that over the
# terminal.
. tests/sim/cli/lib.sh
build_levels
"$RVSIM" --quiet --oracle --profile levels.prof levels
cp levels.prof other.prof
unset NO_COLOR CLICOLOR_FORCE
escape=$'\033['

# colours [NAME=VALUE...] ARGUMENT...: "colours" or "none", for output that goes into files
colours() {
    local set=()
    while [[ $1 == *=* && $1 != -* ]]; do set+=("$1"); shift; done
    env "${set[@]}" "$RVSIM" "$@" >rv.out 2>rv.err </dev/null
    if grep -qF "$escape" rv.out rv.err; then echo colours; else echo none; fi
}
show="annotate levels.prof leaf"
while IFS='|' read -r expected set word; do
    same "a report in a file, ${set:-no variable}, ${word:-no option}: $expected" "$expected" \
        "$(colours $set ${show/annotate/annotate $word})"
    same "a summary in a file, ${set:-no variable}, ${word:-no option}: $expected" "$expected" \
        "$(colours $set $word --mode fast levels)"
done <<'END'
none||
none||--color=auto
colours||--color=always
colours||--color always
none||--color=never
colours|CLICOLOR_FORCE=1|
colours|CLICOLOR_FORCE=1|--color=auto
none|CLICOLOR_FORCE=0|
none|CLICOLOR_FORCE=|
none|CLICOLOR_FORCE=1|--color=never
none|NO_COLOR=1|
none|NO_COLOR=1 CLICOLOR_FORCE=1|
colours|NO_COLOR= CLICOLOR_FORCE=1|
colours|NO_COLOR=1|--color=always
none|NO_COLOR=1|--color=auto
colours||--color=never --color=always
none||--color=always --color=never
none||--color=never --color=auto
colours|TERM=dumb CLICOLOR_FORCE=1|
END
"$RVSIM" annotate levels.prof leaf >plain.txt
same "the text is the same" "$(<plain.txt)" \
    "$("$RVSIM" annotate --color=always levels.prof leaf | sed 's/\x1b\[[0-9;]*m//g')"
for arguments in "diff --color=always levels.prof other.prof" "report --color=always \
--annotate leaf levels.prof" "top --color=always levels" "record --color=always levels"; do
    colours $arguments >/dev/null
    same "${arguments%% *} takes it" 0 $?
done
for command in $("$RVSIM" --complete ''); do
    case $command in view|serve|lsp) continue ;; esac
    same "$command refuses another word" 1 \
        "$("$RVSIM" $command --color=blue levels 2>&1 </dev/null |
            grep -c -- '--color blue: expected auto, always or never')"
done
refused "the run itself refuses another word" "--color blue: expected auto, always or never" \
    --color blue levels
same "completion offers the words" "auto always never" \
    "$("$RVSIM" --complete --color= | sed 's/--color=//' | paste -sd' ')"
same "of any command" "auto always never" \
    "$("$RVSIM" --complete report --color '' | paste -sd' ')"
