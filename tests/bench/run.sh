#!/usr/bin/env bash
# Speed of the simulator: the same programs, in the same run, on rvsim's engines and on other
# simulators the user names. User time, medians of repetitions that take turns; absolute figures
# depend on the host, the ratios are the result. Writes bench.csv, runs.csv and bench.md into
# $BENCH_OUT.
#
#   REPS=3            repetitions
#   PROGRAMS="a b"    some of the bench programs (default: all)
#   ELFS="x.elf ..."  other bare-metal programs, instead of them
#   ISA=rv64gc        or rv32im, which leaves out what needs floating point
#   ENGINES="a b"     some engines (default: all); costs are told from the first one measured
#   RVSIM=path        the simulator measured
#   RUN_SECONDS=300   limit for each single run
# Other simulators, each skipped when not named; words after the path are options:
#   SPIKE=/path/spike          runs the same files
#   MARSS=/path/marss-riscv    its source directory or the executable in it; it runs NAME.bin, an
#                              image with its own marks (ELFS: marss/NAME.bin beside NAME.elf)
#   QEMU=/path/qemu-riscv64  LIBRISCV=/path/rvlinux  GEM5='/path/gem5.opt script options'
#                              run the Linux variant of the bench programs: same code, exit by ecall
# What the host spends on a simulated instruction is told when CALLGRIND=/path/valgrind names it, as
# instructions.sh says.
set -u
reps=${REPS:-3} isa=${ISA:-rv64gc} limit=${RUN_SECONDS:-300}
out=${BENCH_OUT:?} measure=${MEASURE:?}
here=$(dirname "$0")
scratch=$(mktemp -d) && trap 'rm -rf "$scratch"' EXIT || exit 1
mkdir -p "$out" || exit 1
notes=$out/notes.txt
: >"$notes"
note() { echo "$*" | tee -a "$notes"; }

# ---- programs -----------------------------------------------------------------------------
if [ -n "${ELFS:-}" ]; then
    elfs=$ELFS
else
    elfs=
    for name in ${PROGRAMS:-$(cd "$BENCH_O/$isa" && ls ./*.elf)}; do
        elfs+=" $BENCH_O/$isa/$(basename "$name" .elf).elf"
    done
fi
stem() { basename "$1" .elf; }
linux_of() { [ -z "${ELFS:-}" ] && [ "$isa" = rv64gc ] && echo "$BENCH_O/linux/$(stem "$1").elf"; }
marss_of() {
    local image
    image=$(dirname "$1")/../marss/$(stem "$1").bin
    [ -z "${ELFS:-}" ] || image=$(dirname "$1")/marss/$(stem "$1").bin
    [ "$isa" = rv64gc ] && [ -f "$image" ] && echo "$image"
}
# The memory of the machine that a program needs, in KiB: code, data and stack.
guest_kib() {
    local text data bss
    read -r text data bss _ < <("${GUEST_CC%gcc}size" "$1" | tail -n 1)
    echo $(((text + data + bss + 1023) / 1024))
}

# ---- engines ------------------------------------------------------------------------------
declare -A command
engines=()
add() {
    case " ${ENGINES:-$1} " in *" $1 "*) engines+=("$1") command[$1]=$2 ;; esac
}
detailed() { echo "$RVSIM --quiet $*"; }

for preset in default fig2 tiny c910 boom megaboom rsd cva6 cva6ss biriscv c906 u74; do
    if "$RVSIM" config show $preset >/dev/null 2>&1; then add $preset "$(detailed --config $preset)"
    else note "skipped: $preset (no such preset)"; fi
done
add in_order "$(detailed --set core.kind=in_order --set dispatch.width=2)"
add oracle "$(detailed --set pmu.oracle=true --stats "$scratch/oracle.json")"
add marks "$(detailed --meta MARKS --monitor none)"
add fast "$(detailed --mode fast)"
spike_isa=${isa/rv64gc/rv64gc_zba_zbb_zbs_zicntr}
if [ -n "${SPIKE:-}" ]; then add spike "$SPIKE --isa=${spike_isa/rv32im/rv32im_zicsr} -m256"; fi
[ -z "${QEMU:-}" ] || add qemu "$QEMU"
[ -z "${LIBRISCV:-}" ] || add libriscv "$LIBRISCV"
[ -z "${GEM5:-}" ] || add gem5 "$GEM5"
for peer in spike:SPIKE marss:MARSS qemu:QEMU libriscv:LIBRISCV gem5:GEM5; do
    variable=${peer#*:}
    [ -n "${!variable:-}" ] || note "skipped: ${peer%:*} (name it with $variable=)"
done

# MARSS-RISCV as it comes, with the two machines its distribution configures, less disk and net.
if [ -n "${MARSS:-}" ]; then
    [ -x "$MARSS" ] && [ -f "$MARSS" ] ||
        MARSS=$(find "$MARSS" -name marss-riscv -type f -perm -u+x | head -n 1)
    marss_home=$(dirname "$(realpath "$MARSS")")
    add marss "$marss_home/marss-riscv -sim-file-path $scratch -sim-file-prefix s outoforder"
    add marss_in_order "$marss_home/marss-riscv -sim-file-path $scratch -sim-file-prefix s inorder"
fi
marss_config() {    # marss_config inorder|outoforder IMAGE
    sed -e "s|bios: \"[^\"]*\"|bios: \"$(realpath "$2")\"|" \
        -e '/^[ \t]*\(kernel\|drive0\|eth0\):/d' \
        -e "s|config_file: \"|&$marss_home/|" "$marss_home/../configs/riscv64_$1_soc.cfg" \
        >"$scratch/marss.cfg"
}
# Counters on every instruction of every routine.
marks_of() {
    "${GUEST_CC%gcc}nm" "$1" | awk '$2 ~ /[tT]/ && $3 !~ /^[.$]/ && $3 != "_start" {
        print $3 " * counter" }'
}

# The command of an engine for a program; nothing when it cannot run it.
command_of() {
    local words=${command[$1]} file
    case $1 in
    marss*)
        file=$(marss_of "$2") || return
        marss_config "${words##* }" "$file"
        echo "${words% *} $scratch/marss.cfg" ;;
    qemu | libriscv | gem5) file=$(linux_of "$2") && echo "$words $file" ;;
    marks) marks_of "$2" >"$scratch/marks.meta"; echo "${words/MARKS/$scratch/marks.meta} $2" ;;
    *) echo "$words $2" ;;
    esac
}

# The text that a simulator must print at the end if it does not pass on the exit status of the
# program.
proof_of() {
    case $1 in qemu | libriscv | gem5) echo "-s verified" ;; esac
}

# ---- measuring ----------------------------------------------------------------------------
runs=$out/runs.csv
echo program,instructions,guest_kib,engine,repetition,user_seconds,peak_kib,status >"$runs"
for repetition in $(seq "$reps"); do
    for elf in $elfs; do
        "$RVSIM" --quiet --mode fast --stats "$scratch/count.csv" "$elf" >/dev/null 2>&1 </dev/null
        count=$(sed -n 's/^instructions,//p' "$scratch/count.csv")
        guest=$(guest_kib "$elf")
        for engine in "${engines[@]}"; do
            words=$(command_of "$engine" "$elf") && [ -n "$words" ] || continue
            # Simulators look for their libraries in the directory in which they are started.
            read -r user peak status < <(cd "${marss_home:-.}" &&
                $measure $(proof_of "$engine") "$limit" $words)
            echo "$(stem "$elf"),$count,$guest,$engine,$repetition,$user,$peak,$status" >>"$runs"
        done
    done
done

awk -f "$here/table.awk" -v engines="${engines[*]}" -v csv="$out/bench.csv" "$runs" >"$out/bench.md"
status=$?
{ echo; sed 's/^/* /' "$notes"; } >>"$out/bench.md"
if [ -n "${CALLGRIND:-}" ]; then
    { echo; "$here/instructions.sh"; } >>"$out/bench.md" || status=1
fi
cat "$out/bench.md"
echo "written: $out/bench.md $out/bench.csv $out/runs.csv"
exit $status
