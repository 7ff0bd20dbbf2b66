#!/usr/bin/env bash
# Completion offers the possible values, for bash and zsh. `make install` installs it with the rest,
# and `make uninstall` removes everything again.
. tests/sim/cli/lib.sh
PATH=$(dirname "$RVSIM"):$PATH
"$RVSIM" help --completion >for-bash
"$RVSIM" help --completion-zsh >for-zsh

# The line as typed so far; the answers, as bash has them.
bash_answers() {
    bash -c '. ./for-bash; compopt() { :; }; COMP_LINE=$1; COMP_POINT=${#1}; _rvsim
        printf "%s\n" "${COMPREPLY[@]}"' - "$1"
}
# The same in zsh, which passes words; the function itself returns the completions.
zsh_answers() {
    zsh -fc 'compdef() { :; }; _files() { :; }
        compadd() { while [[ $1 != -- ]]; do shift; done; shift; print -l -- "$@"; }
        typeset -A compstate=(nmatches 1)
        words=("${(@s: :)1}"); CURRENT=${#words}; source ./for-zsh' - "$1"
}
both() {
    same "$1, in bash" "$3" "$(bash_answers "$2" | xargs)"
    same "$1, in zsh" "$3" "$(zsh_answers "$2" | xargs)"
}

presets=$("$RVSIM" config | awk '{print $1}' | xargs)
both "--config completes presets" "rvsim --config " "$presets"
both "config show does" "rvsim config show " "$presets"
both "--mode completes its words" "rvsim --mode " "detailed fast warm"
both "an event is completed in full" "rvsim tune --event branches_m" branches_mispredicted
both "--trace completes kinds" "rvsim --trace k" kanata:
both "the short form of an option does" "rvsim record -e branches_m" branches_mispredicted
both "every form of meta is offered" "rvsim meta " "check list create convert"
both "an option of a tool's run is completed" "rvsim tune --monitor h" host
both "a setting is completed up to its value" "rvsim --set l1d.ki" l1d.kib=
same "in bash, the values of a setting stand alone" "lru lfsr" \
    "$(bash_answers "rvsim --set l1d.replacement=l" | xargs)"
same "in zsh, they stand after it" "l1d.replacement=lru l1d.replacement=lfsr" \
    "$(zsh_answers "rvsim --set l1d.replacement=l" | xargs)"
same "a list of schemes goes on after its comma" "software,tip software,tip-ilp" \
    "$("$RVSIM" --complete compare-profilers --schemes software,tip | sort | xargs)"
same "a list of events goes on after its comma" "loads,l1d_read loads,l1d_read_miss" \
    "$("$RVSIM" --complete stat --event loads,l1d_r | xargs)"
same "in bash, the filters of a counter stand alone" "marked user,kernel" \
    "$(for word in mar user,k; do bash_answers "rvsim --count loads:$word"; done | xargs)"
same "in zsh, they stand after it" "loads:marked" \
    "$(zsh_answers "rvsim --count loads:mar" | xargs)"
same "a filter with an argument ends with =" "loads:user,label= loads:user,range=" \
    "$("$RVSIM" --complete --count loads:user, | grep -E 'label|range' | xargs)"
same "report --sort has its keys, in a list too" \
    "routine object file line thread hart program children object,line" \
    "$("$RVSIM" --complete report --sort '' | xargs) $("$RVSIM" --complete report --sort object,l)"
rv --profile p.prof --oracle --quiet --max-insns 100 "$(dirname "$RVSIM")/guest/wordindex"
for command in annotate diff; do
    "$RVSIM" --complete $command -e '' | sort >measures
    same "$command -e offers samples, counts, words of the tree, causes and events" \
        "back_end count cpi_dram cycles insns_retired interrupts l2_miss retiring samples" \
        "$(grep -xE 'back_end|count|cpi_dram|cycles|insns_retired|interrupts|l2_miss|retiring' \
            measures | xargs) $(grep -x samples measures)"
    same "$command -e offers no event of slots" "" "$(grep -E '^(slots|lost)_|^cpi_base' measures)"
done
refused_measures=
for measure in $(grep -vxE 'count|interrupts|samples' measures); do
    "$RVSIM" annotate -e "$measure" p.prof >/dev/null 2>&1 || refused_measures+=" $measure"
done
same "annotate takes every event that it offers" "" "$refused_measures"
same "a list of measures goes on after its comma" "cycles,l2_miss" \
    "$("$RVSIM" --complete diff -e cycles,l2_mi | xargs)"
same "an option that a command has itself is offered once" --set \
    "$("$RVSIM" --complete whatif --se | xargs)"
same "every event is offered" "$("$RVSIM" events | sed 1d | awk '{print $2}' | sort)" \
    "$("$RVSIM" --complete tune --event '' | sort)"
same "every setting is offered" \
    "$("$RVSIM" config show default | awk '/^\[/ {gsub(/[][]/, ""); s = $0}
        /^[a-z_0-9]+ +=/ {print s "." $1 "="}' | sort)" \
    "$("$RVSIM" --complete --set '' | sort)"
both "the scopes of a token are offered" "rvsim serve --scopes " "read write control"
mkdir home
ln -s "$RVSIM" home/rvsim
HOME=$PWD/home both "a program in the home directory completes" "~/rvsim --mode f" fast
same "where : ends no word in bash, a value has all before it" "loads:marked" \
    "$(bash -c '. ./for-bash; compopt() { :; }; COMP_WORDBREAKS=" ="
        COMP_LINE="rvsim --count loads:mar"; COMP_POINT=${#COMP_LINE}; _rvsim
        echo "${COMPREPLY[@]}"')"
# file_of WORD: the name of the file in the word, as zsh finds it
file_of() {
    zsh -fc 'compdef() { :; }; _files() { print -r -- file }; compset() { print -r -- "$*" }
        compadd() { :; }; typeset -A compstate=(nmatches 1)
        words=(rvsim x); CURRENT=2; source ./for-zsh
        words=(rvsim "$1"); compstate=(nmatches 0); PREFIX=$1; _rvsim' - "$1" | xargs
}
same "in zsh a file may follow an option's = and a trace's :, or stand alone" \
    "-P 1 *= file|-P 1 *: file|file" \
    "$(file_of --meta=a)|$(file_of kanata:a)|$(file_of a)"
same "a program's words are files" "" "$("$RVSIM" --complete app.elf x)"

# ---- installed --------------------------------------------------------------------------------

# With what is built; nothing is compiled for it.
(cd "${here%/tests/sim/cli}" && env -u MAKEFLAGS -u MAKELEVEL make -o all O="$BUILD" \
    DESTDIR="$TEST_TMP/root" PREFIX=/usr install) >log 2>&1 ||
    not_ok "make install runs" "$(tail -5 log)"
for file in bin/rvsim share/man/man1/rvsim.1 share/bash-completion/completions/rvsim \
    share/zsh/site-functions/_rvsim share/doc/rvsim/README.md share/rvsim/presets/default.ini \
    share/rvsim/schema/stat.json \
    share/rvsim/examples/bare.ld lib/libprofhw.a include/profhw.h lib/pkgconfig/profhw.pc; do
    same "make install leaves $file" yes "$([ -s "root/usr/$file" ] && echo yes)"
done
for library in $(grep -o -- '-l[a-z0-9]*' root/usr/lib/pkgconfig/profhw.pc); do
    case $library in -lprofhw | -lm) continue ;; -liberty) name=cplus_demangle_v3 ;;
    *) name=lib${library#-l}.so ;; esac
    same "rvsim uses the library $library" yes \
        "$( (readelf -d "$RVSIM"; readelf -sW "$RVSIM") | grep -qF "$name" && echo yes)"
done
same "links of the installed pages lead to installed files, but for some sources of rvsim" "" "$(
    find root/usr/share/doc -name '*.md' | while read -r page; do
        grep -oE '\]\([^)#: ]+' "$page" | sed 's/^](//' | while read -r link; do
            [ -e "${page%/*}/$link" ] || echo "${page##*/}: $link"
        done
    done | grep -vE ': (https|(\.\./)+(tests|sim/run)/)')"
(cd "${here%/tests/sim/cli}" && env -u MAKEFLAGS -u MAKELEVEL make DESTDIR="$TEST_TMP/root" \
    PREFIX=/usr uninstall) >log 2>&1
same "make uninstall leaves no file" "" "$(find root ! -type d)"
mkdir "a"
refused=$(cd "${here%/tests/sim/cli}" && env -u MAKEFLAGS -u MAKELEVEL make O="$BUILD" \
    DESTDIR="$TEST_TMP/a b" PREFIX=/usr uninstall 2>&1)
same "make uninstall refuses a name with a blank, and removes no part of it" "2 yes 1" \
    "$? $([ -d a ] && echo yes) $(grep -c "b/usr' has a blank; expected names without" \
        <<<"$refused")"
refused=$(cd "${here%/tests/sim/cli}" && env -u MAKEFLAGS -u MAKELEVEL make O="$TEST_TMP/a b" 2>&1)
same "a build in a folder whose name has a blank is refused in one line" "2 1 1" \
    "$? $(grep -c "a b' has a blank; expected one without" <<<"$refused") $(wc -l <<<"$refused")"
