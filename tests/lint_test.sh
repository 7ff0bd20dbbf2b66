#!/usr/bin/env bash
# This tree keeps the rules of tests/lint.sh that are checked quickly, and a tree that breaks each
# rule once gets one finding for each.
set -u
. tests/cases.sh
same "the tree keeps the house rules" "no findings" \
    "$(tests/lint.sh --quick "$BUILD/librvsim.a" | sed 's/^lint: [0-9]* files, //')"

tree=$TEST_TMP/tree
mkdir -p "$tree"/{tests,isa,pmu,prof,sim/base,sim/core/instance,sim/core/model}
cp tests/lint.sh "$tree/tests"
cp sim/core/instance/instance.c "$tree/sim/core/instance"
fill() { for ((i = 0; i < $1; i++)); do echo "$2"; done; }
printf 'int a;\t\nint b; \n' >"$tree/prof/blank.c"
printf '/* %0100d */\n' 0 >"$tree/prof/wide.h"
fill 501 '' >"$tree/prof/long.c"
fill 151 '' >"$tree/prof/long.h"
{ printf 'static void many_lines(void)\n{\n'; fill 58 '    ;'; echo '}'; } >"$tree/prof/function.c"
echo '#include "sim/cli/tool/tool.h"' >"$tree/pmu/include.c"
printf 'void say(void)\n{\n    puts("");\n}\n' >"$tree/isa/print.c"
echo 'int a = core->config->rob_entries;' >"$tree/sim/core/direct.c"
echo 'int b = core_config(core)->dram_cycles;' >"$tree/sim/core/indirect.c"
echo 'int counter = 1;' >"$TEST_TMP/data.c"
${CC:-cc} -c "$TEST_TMP/data.c" -o "$TEST_TMP/data.o" && ar rc "$TEST_TMP/lib.a" "$TEST_TMP/data.o"

export GIT_DIR=$tree/none               # all files of the folders are read, as without git
found=$("$tree/tests/lint.sh" --quick "$TEST_TMP/lib.a")
same "a tree with findings has status 1" 1 "$("$tree/tests/lint.sh" --quick "$TEST_TMP/lib.a" \
    >/dev/null; echo $?)"
same "each broken rule is one finding, and nothing else is" "\
data.o: counter: writable data outside struct machine
isa/print.c:3:    puts(\"\");   (this folder prints nothing)
lint: 11 findings
pmu/include.c:1: pmu may not include \"sim/cli/tool/tool.h\"
prof/blank.c:1: tab
prof/blank.c:2: blank at the end of the line
prof/function.c:1: many_lines has 61 lines (limit 60)
prof/long.c:1: 501 lines (limit 500)
prof/long.h:1: 151 lines (limit 150)
prof/wide.h:1: 106 columns (limit 100)
sim/core/direct.c:1:int a = core->config->rob_entries;   (core_config(core) has it)
sim/core/indirect.c:1:core_config(core)->dram_   (core->config has it)" \
    "$(LC_ALL=C sort <<<"$found")"
