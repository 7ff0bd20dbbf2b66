#!/usr/bin/env bash
# Cycles of the models against cycles of RTL: builds the kernels, runs each on the preset with the
# core's name, and prints both with the error; for each core the mean of the absolute errors and the
# worst. A preset that does not exist is named as skipped.
#   KERNELS=DIR   other kernels: a folder with a build.sh OUT MARCH MABI
#   RTL=FILE      other cycle counts: core,program,instructions,cycles,csr_cycles
#   CORES="..."   only these cores        PROGRAMS="..."  only these programs
# The table goes to $O/fidelity.csv too. The comparison uses the kernel's own difference of mcycle;
# where the RTL has none (empty csr_cycles), it uses the cycles from the retirement of roi_begin to
# that of roi_end. Both come from a trace of the build that prints nothing, which is the build that
# the RTL ran: the build that prints has other addresses, so other lines may miss.
set -u
here=$(cd "$(dirname "$0")" && pwd)
O=${O:-build}
RVSIM=${RVSIM:-$O/rvsim}
kernels=${KERNELS:-$here/kernels} rtl=${RTL:-$here/rtl.csv}
table=$O/fidelity.csv
work=$O/fidelity
fail() { echo "fidelity: $*" >&2; exit 1; }

[ -x "$RVSIM" ] || fail "no simulator at $RVSIM; run make"
[ -r "$rtl" ] || fail "cannot read $rtl"
[ -r "$kernels/build.sh" ] || fail "no build.sh in $kernels"
command -v riscv64-unknown-elf-gcc >/dev/null || "$here/../setup.sh" guest ||
    fail "the kernels need riscv64-unknown-elf-gcc"

# The instruction set and ABI of a core's programs.
isa_of() {
    case $1 in
    rsd*) echo rv32imf_zicsr ilp32f ;;
    biriscv*) echo rv32im_zicsr ilp32 ;;
    cva6*) echo rv64imac_zicsr lp64 ;;
    *) echo rv64gc lp64d ;;
    esac
}

# Programs of an instruction set, built again when a source is newer.
build() {
    local out
    out=$work/$1-$(echo "$kernels" | cksum | cut -d' ' -f1)
    if [ ! -e "$out/built" ] || [ -n "$(find "$kernels" -newer "$out/built" -print -quit)" ]; then
        mkdir -p "$out"
        sh "$kernels/build.sh" "$(cd "$out" && pwd)" "$1" "$2" >"$out/log" 2>&1 ||
            { cat "$out/log" >&2; fail "the kernels for $1 do not build"; }
        touch "$out/built"
    fi
    echo "$out"
}

address_of() { riscv64-unknown-elf-nm "$1" | awk -v name="$2" '$3 == name { print "0x" $1 }'; }

printed_cycles() {          # printed_cycles PRESET FOLDER PROGRAM
    "$RVSIM" --quiet --config "$1" "$2/htif/$3.elf" 2>&1 </dev/null |
        sed -n 's/^cycles \([0-9]*\) .*/\1/p'
}

# The cycles from the retirement of roi_begin to that of roi_end; or (csr) the cycles between the
# reads of mcycle around them. These reads are the second instruction before roi_begin and the
# second after roi_end, and they read when they issue. For a program that reads mcycle elsewhere the
# result is empty.
traced_cycles() {           # traced_cycles PRESET FOLDER PROGRAM retired|csr
    local elf=$2/$3.elf trace=$work/$3.trace from to
    from=$(address_of "$elf" roi_begin) to=$(address_of "$elf" roi_end)
    [ "$4" = retired ] || { from=$((from - 8)) to=$((to + 8)); }
    "$RVSIM" --quiet --config "$1" --trace "o3pipeview:$trace" "$elf" >/dev/null 2>&1 </dev/null
    awk -F: -v from="$(printf %x "$from")" -v to="$(printf %x "$to")" -v what="$4" '
        $2 == "fetch" { pc = $4; sub(/^0x0*/, "", pc); is_csr = $0 ~ /:csrr/ }
        $2 == "issue" { issue = $3 }
        $2 != "retire" || $3 == 0 || what == "csr" && !is_csr { next }
        { at = what == "csr" ? issue : $3 }
        pc == from { begin = at }
        pc == to { end = at }
        END { if (end > begin) print (end - begin) / 1000 }' "$trace"
    rm -f "$trace"
}

wanted() { [ -z "$1" ] || [[ " $1 " == *" $2 "* ]]; }

mkdir -p "$work"
echo core,program,model_cycles,rtl_cycles,error_percent >"$table"
skipped=
previous=
printf '%-12s %-18s %12s %12s %9s\n' core program model rtl error
while IFS=, read -r core program _ cycles csr_cycles; do
    [ "$core" != core ] || continue
    wanted "${CORES:-}" "$core" || continue
    wanted "${PROGRAMS:-}" "$program" || continue
    if [ "$core" != "$previous" ]; then
        previous=$core
        read -r march mabi <<<"$(isa_of "$core")"
        folder=$(build "$march" "$mabi") || exit 1
        known=yes
        "$RVSIM" config show "$core" >/dev/null 2>&1 || { known=; skipped="$skipped $core"; }
    fi
    [ -n "$known" ] || continue
    if [ ! -e "$folder/$program.elf" ]; then
        echo "fidelity: $core: no kernel $program" >&2
        continue
    fi
    if [ -n "$csr_cycles" ]; then
        truth=$csr_cycles model=$(traced_cycles "$core" "$folder" "$program" csr)
        [ -n "$model" ] || model=$(printed_cycles "$core" "$folder" "$program")
    else
        truth=$cycles model=$(traced_cycles "$core" "$folder" "$program" retired)
    fi
    awk -v core="$core" -v program="$program" -v model="${model:-0}" -v truth="$truth" \
        -v table="$table" 'BEGIN {
            error = 100 * (model - truth) / truth
            printf "%-12s %-18s %12d %12d %8.1f%%\n", core, program, model, truth, error
            printf "%s,%s,%d,%d,%.2f\n", core, program, model, truth, error >>table }'
done < <(sort -s -t, -k1,1 "$rtl")

awk -F, 'NR > 1 {
        error = $5 < 0 ? -$5 : $5
        if (!($1 in n)) order[++cores] = $1
        n[$1]++; sum[$1] += error
        if (error >= worst[$1]) { worst[$1] = error; at[$1] = $2 }
        over[$1] += error > 10
    }
    END {
        printf "\n%-12s %9s %12s %9s  %-18s %s\n", "core", "programs", "mean |error|", "worst",
            "at", "over 10 %"
        for (i = 1; i <= cores; i++) {
            core = order[i]
            printf "%-12s %9d %11.1f%% %8.1f%%  %-18s %d\n", core, n[core],
                sum[core] / n[core], worst[core], at[core], over[core]
        }
    }' "$table"
for core in $skipped; do echo "SKIPPED: $core has no preset"; done
