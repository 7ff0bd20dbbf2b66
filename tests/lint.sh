#!/usr/bin/env bash
# House rules a compiler does not check: tests/lint.sh [--quick] [LIBRARY]
#
# Layout: no tabs (but in makefiles), no trailing blanks, lines <= 100 columns (but in .def tables),
# .c <= 500 lines, .h <= 150, functions <= 60 lines. Structure: the table of who may include whom;
# isa/, pmu/ and shadowcache/ print nothing; LIBRARY, if built, holds no writable data and no name
# twice. Then cppcheck, if present. One line per finding, status 1 if there is one.
# --quick leaves out the two checks that take long: cppcheck and the limits of tests/structure.txt.
set -u
cd "$(dirname "$0")/.." || exit 1

checks='layout functions includes instances silence state names'
if [ "${1:-}" = --quick ]; then shift; else checks+=' structure cppcheck'; fi
library=${1:-}
folders=(.ci sim isa pmu shadowcache guest tests prof)
mapfile -t files < <({ git ls-files --cached --others --exclude-standard "${folders[@]}" ||
    find "${folders[@]}" -type f; } 2>/dev/null | sort -u |
    while read -r f; do [ -f "$f" ] && echo "$f"; done |
    grep -v '^tests/fidelity/kernels/')     # the counts of RTL belong to these very sources
select_files() { printf '%s\n' "${files[@]}" | grep -E "$1"; }
mapfile -t code < <(select_files '\.(c|h|S|def|ld|sh)$|^\.ci/run$')
mapfile -t c_files < <(select_files '\.[ch]$')
[ ${#c_files[@]} -gt 0 ] || { echo "lint: no sources"; exit 1; }

check_layout() {
    awk 'FNR == 1 { if (last) lines_of(last, n); last = FILENAME }
        { n = FNR }
        /\t/ { print FILENAME ":" FNR ": tab" }
        /[ \r]$/ { print FILENAME ":" FNR ": blank at the end of the line" }
        FILENAME !~ /\.def$/ && length($0) > 100 {
            print FILENAME ":" FNR ": " length($0) " columns (limit 100)" }
        function lines_of(file, n,    limit) {
            limit = file ~ /\.c$/ ? 500 : file ~ /\.h$/ ? 150 : 0
            if (limit && n > limit) print file ":1: " n " lines (limit " limit ")"
        }
        END { lines_of(last, n) }' "${code[@]}"
}

# A function opens at a line in column 0 that has a parenthesis and no semicolon, and closes at a
# brace in column 0.
check_functions() {
    awk 'FNR == 1 { head = 0 }
        /^[A-Za-z_].*\(/ && !/;[ \t]*(\/\*.*)?$/ && !/^(typedef|extern)/ {
            head = FNR; name = $0; sub(/\(.*/, "", name); sub(/.*[ *]/, "", name) }
        head && FNR > head && /^[^}{ #]/ && !/^[a-z_]+:/ { head = 0 }
        /^}/ { if (head && FNR - head + 1 > 60)
            print FILENAME ":" head ": " name " has " FNR - head + 1 " lines (limit 60)"; head = 0 }
        ' "${c_files[@]}"
}

# Who may include whom: an extended regular expression per folder; a folder may always include
# itself. A name without a folder is an error too, except beside guest code.
check_includes() {
    awk 'BEGIN {
            allow["isa"] = "^$"
            allow["pmu"] = "^isa/"
            allow["shadowcache"] = "^(pmu/|isa/|sim/base/(err|array|input|sorted)\\.h$)"
            allow["sim/base"] = "^generated/"     # settings of models
            allow["sim/mem"] = "^(sim/base|shadowcache|pmu|isa)/"
            allow["sim/core"] = "^(sim/(base|mem)|isa|pmu|shadowcache)/"
            allow["sim/run"] = "^(sim/(base|mem|core)|isa|pmu|shadowcache)/"
            allow["sim/host"] = "^(sim/(base|mem|core|run)|isa|pmu|shadowcache|prof)/"
            allow["sim/debug"] = "^(sim/(base|mem|core|run|host)|isa|pmu|shadowcache)/"
            allow["sim/view"] = "^(sim/(base|mem|core|run|host)|isa|pmu|shadowcache|prof)/"
            allow["sim/cli"] = "^(sim/(base|mem|core|run|host|debug|view)|isa|pmu|shadowcache|" \
                "prof)/"
            allow["prof"] = "^(isa|pmu|sim/base)/"
            allow["guest"] = "^(pmu/([a-z_/]+\\.h|(event|abi_syscall)\\.def)|" \
                "isa/(csr\\.def|(hint|field)\\.h))$"
        }
        FNR == 1 {
            split(FILENAME, part, "/")
            folder = part[1] == "sim" ? part[1] "/" part[2] : part[1]
        }
        /^[ \t]*#[ \t]*include[ \t]+"/ {
            split($0, quoted, "\"")
            name = quoted[2]
            if (folder == "tests" || index(name, folder "/") == 1) next
            if (folder == "guest" && name !~ /^(isa|pmu|shadowcache|sim|prof|tests)\//) next
            if (!(folder in allow) || name !~ allow[folder])
                print FILENAME ":" FNR ": " folder " may not include \"" name "\""
        }' $(select_files '\.([chS]|def)$')
}

# Settings that an instance of the pipe has as constants are read through core_config(), the others
# are not (sim/core/instance/instance.h); of parts those of its model.
check_instances() {
    local sections
    sections=$({ sed -n '/sections\[\] = {/,/NULL/p' sim/core/instance/instance.c |
        grep -o '"[a-z]*"' | tr -d '"'; find sim/core/model -mindepth 1 -type d -printf '%f\n'; } |
        paste -sd'|')
    grep -nE "core->config->($sections)_" /dev/null $(select_files '^sim/core/.*\.[ch]$') |
        sed 's/$/   (core_config(core) has it)/'
    grep -noE "(core_config\(core\)|[^a-z_]settings)->[a-z0-9]+_" /dev/null \
        $(select_files '^sim/core/.*\.[ch]$') |
        grep -vE -e "->($sections)_" -e '^sim/core/model/.*->part_' |
        sed 's/$/   (core->config has it)/'
}

# The groups of files in sim/core that depend on each other must not grow (tests/structure.txt).
check_structure() {
    [ ! -f "$library" ] || tests/structure.sh "$(dirname "$library")" tests/structure.txt
}

check_silence() {
    grep -nE '(^|[^a-z_])(f?printf|f?puts|f?putc|putchar|perror)[ ]*\(' /dev/null \
        $(select_files '^(isa|pmu|shadowcache)/.*\.[ch]$') |
        sed 's/$/   (this folder prints nothing)/'
}

check_state() {
    [ -f "$library" ] || return 0
    objdump -t "$library" | awk '/file format/ { object = $1 }
        NF < 4 { next }
        $(NF-2) ~ /^\.(data|bss)(\.|$)/ && $(NF-2) !~ /^\.data\.rel\.ro/ && / [lg] .*O / {
            print object " " $NF ": writable data outside struct machine" }
        $(NF-2) == "*COM*" { print object " " $NF ": writable data outside struct machine" }'
}

# Of two definitions of a name in the library, one would be linked for both: an instance would run
# another's code.
check_names() {
    [ -f "$library" ] || return 0
    nm -g --defined-only "$library" 2>/dev/null | awk 'NF == 3 && $2 ~ /[TDRB]/ { print $3 }' |
        sort | uniq -d | sed 's/$/: defined twice in the library/'
}

# cppcheck 2.10 takes the path in __has_include(<a/b.h>) for a division.
check_cppcheck() {
    command -v cppcheck >/dev/null || return 0
    cppcheck --quiet --std=c11 --language=c --inline-suppr -j "${JOBS:-2}" -I . \
        -I "$(dirname "$library")" \
        -U MODEL_ANSWERS -U __has_include \
        --enable=warning,portability --suppress=missingInclude --suppress=unknownMacro \
        --suppress=assignBoolToPointer:isa/insn.def \
        --template='{file}:{line}: {message} [{id}]' \
        $(select_files '^(isa|pmu|shadowcache|sim|prof)/.*\.c$') 2>&1
}

findings=$(for check in $checks; do check_$check; done)
[ -z "$findings" ] || { echo "$findings"; echo "lint: $(wc -l <<<"$findings") findings"; exit 1; }
echo "lint: ${#files[@]} files, no findings"
