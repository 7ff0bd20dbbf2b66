#!/usr/bin/env bash
# Measures the dependences among the core's files: tests/structure.sh BUILD [CEILINGS]
#
# Of the objects under BUILD (the Makefile's $(O)) prints
#   circle     files of sim/core of which each calls each of the others, be it through more of them:
#              the largest such set, in the pipe without a model
#   model_circle   the same in the pipe of a model, the model's files included: the largest of all
#   headers    of this tree that a .c file of sim/core sees, its includes' includes too: the median
#   settings   of sim/base/config.def, which are of no model
#   one_core   those of these that the presets of one core alone name
# With CEILINGS, a file of lines "NAME LIMIT", prints a line for each figure above its limit
# instead, and its status is 1 if there is one.
set -u
cd "$(dirname "$0")/.." || exit 1
build=${1:?} ceilings=${2:-}

mapfile -t objects < <(for source in $(find sim/core -name '*.c' | sort); do
    ls "$build/${source%.c}.o" 2>/dev/null
done)
shared=$(printf '%s\n' "${objects[@]}" | grep -E '/core/(bpred/)?[a-z_]+\.o$')   # by all pipes
[ ${#objects[@]} -gt 0 ] || { echo "structure: no objects of sim/core under $build" >&2; exit 2; }

# An edge from a file to another for each function that it calls there; then, from each file, what
# it reaches.
circle() {                  # circle OBJECT...
    nm -A "$@" | awk '
        { file = $1; sub(/:.*/, "", file) }
        $(NF - 1) == "T" { home[$NF] = file }
        $(NF - 1) == "U" { calls[++count] = file " " $NF }
        END {
            for (i = 1; i <= count; i++) {
                split(calls[i], call, " ")
                if (call[2] in home && home[call[2]] != call[1] && !((call[1], call[2]) in seen)) {
                    seen[call[1], call[2]]
                    out[call[1]] = out[call[1]] " " home[call[2]]
                }
            }
            for (file in out) {
                todo = 1
                stack[1] = file
                while (todo > 0) {
                    n = split(out[stack[todo--]], next_file, " ")
                    for (i = 1; i <= n; i++)
                        if (!((file, next_file[i]) in reaches)) {
                            reaches[file, next_file[i]]
                            stack[++todo] = next_file[i]
                        }
                }
            }
            for (a in out) {
                size = 0
                for (b in out) size += (a, b) in reaches && (b, a) in reaches
                if (size > largest) largest = size
            }
            print largest + 0
        }'
}

model_circle() {
    for pipe in "$build"/sim/core/instance/model-*/; do
        [ ! -d "$pipe" ] || circle "$pipe"*.o $shared
    done | sort -n | awk '{ n = $1 } END { print n + 0 }'
}

headers() {
    for object in "${objects[@]}" "$build"/sim/core/instance/model-*/sim-core-model-*.o; do
        [ -e "$object" ] || continue
        tr -s ' \\' '\n\n' <"${object%.o}.d" | grep -E '^(\./)?(sim|isa|pmu|shadowcache)/.*\.h$' |
            sort -u | wc -l
    done | sort -n | awk '{ n[NR] = $1 } END { print n[int((NR + 1) / 2)] }'
}

settings() { grep -cE '^CONFIG_[A-Z0-9]+ *\(' sim/base/config.def; }

# A preset that inherits another is of the same core, but for the machine that stands for none.
one_core() {
    awk -v models="$(cd sim/core/model 2>/dev/null && echo */)" '
        BEGIN { n = split(models, name, "/ *"); while (n > 0) model[name[n--]] }
        FNR == 1 { core = FILENAME; sub(/.*\//, "", core); sub(/\.ini$/, "", core); section = "" }
        /^inherit *=/ && $3 !~ /^(classic|default)$/ { core = $3 }
        /^\[/ { section = $0; gsub(/[][ ]|#.*/, "", section) }
        section != "" && !(section in model) && /^[a-z0-9_]+ *=/ {
            key = section "." $1
            if (!((key, core) in seen)) { seen[key, core]; cores[key]++ }
        }
        END { for (key in cores) n += cores[key] == 1; print n }' sim/presets/*.ini
}

for name in circle model_circle headers settings one_core; do
    case $name in
    circle) echo "circle $(circle "${objects[@]}")" ;;
    *) echo "$name $($name)" ;;
    esac
done |
    if [ -z "$ceilings" ]; then cat
    else
        awk 'NR == FNR { if (!/^#/ && NF) limit[$1] = $2; next }
            $1 in limit && $2 > limit[$1] {
                print "structure: " $1 " is " $2 " (limit " limit[$1] ")"; bad = 1 }
            END { exit bad }' "$ceilings" -
    fi
