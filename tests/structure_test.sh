#!/usr/bin/env bash
# The figures of tests/structure.sh are right for a tree whose calls can be counted by hand, and a
# figure above its limit is reported.
set -u
. tests/cases.sh
tree=$TEST_TMP/tree
mkdir -p "$tree"/{tests,sim/core/part,sim/base,sim/presets,build/sim/core/part}
cp tests/structure.sh "$tree/tests"

# a, b and c call in a circle; d is called by a, and e calls a.
write() { echo "$2" >"$tree/sim/core/$1.c"; }
write a 'void b(void); void d(void); void a(void) { b(); d(); }'
write part/b 'void c(void); void b(void) { c(); }'
write c 'void a(void); void c(void) { a(); }'
write d 'void d(void) { }'
write e 'void a(void); void e(void) { a(); }'
printf 'x: sim/core/c.c sim/core/one.h \\\n isa/two.h \\\n /usr/include/a.h\n' >"$TEST_TMP/two.d"
for name in a part/b c d e; do
    ${CC:-cc} -c "$tree/sim/core/$name.c" -o "$tree/build/sim/core/$name.o" ||
        not_ok "$name.c compiles"
    cp "$TEST_TMP/two.d" "$tree/build/sim/core/$name.d"
done
# In the pipe of a model, two more.
mkdir -p "$tree/build/sim/core/instance/model-m"
for pair in "f g" "g f"; do
    echo "void ${pair#* }(void); void ${pair% *}(void) { ${pair#* }(); }" >"$TEST_TMP/pair.c"
    ${CC:-cc} -c "$TEST_TMP/pair.c" -o "$tree/build/sim/core/instance/model-m/${pair% *}.o"
done
printf 'x: sim/core/one.h\n' >"$tree/build/sim/core/d.d"
printf 'CONFIG_INT (a, b, 1)\nCONFIG_BOOL(a, c, 1)\n' >"$tree/sim/base/config.def"
printf '[a]\nb = 1\n' >"$tree/sim/presets/classic.ini"
printf 'inherit = classic\n[a]\nb = 2\nc = 3   # one\n' >"$tree/sim/presets/one.ini"
printf 'inherit = one\n[a]\nc = 4\n' >"$tree/sim/presets/two.ini"

same "three files call in a circle, two beside it do not" \
    "circle 3 model_circle 2 headers 2 settings 2 one_core 1" \
    "$("$tree/tests/structure.sh" build | xargs)"

printf '# limits\ncircle 2\nheaders 2\n' >"$tree/limits"
same "a figure above its limit is reported" "structure: circle is 3 (limit 2) 1" \
    "$("$tree/tests/structure.sh" build limits | xargs echo) $("$tree/tests/structure.sh" build \
        limits >/dev/null; echo $?)"
printf 'circle 3\nheaders 2\n' >"$tree/limits"
same "a tree within its limits is not reported" \
    " 0" "$("$tree/tests/structure.sh" build limits; echo " $?")"
