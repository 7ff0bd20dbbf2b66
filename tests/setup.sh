#!/usr/bin/env bash
# Installs packages that building and testing need and this machine lacks: tests/setup.sh GROUP...
# Groups: build (the simulator), guest (cross-compilers), test, fuzz; all.
#
# System packages come from apt, with root or passwordless sudo; without either, the one command
# to run is printed on stdout and the status is 1. Where the system has no capstone 5, the one of
# the next Debian release is unpacked into $DEPS (default .deps), not installed: its static library
# needs no newer C library. The mirror is the machine's own, the signatures are verified by apt.
# Does nothing, and uses no network, if everything is installed.
set -u
cd "$(dirname "$0")/.." || exit 1

deps=${DEPS:-.deps}
newer=trixie
keyring=/usr/share/keyrings/debian-archive-keyring.gpg

packages_build="build-essential make pkg-config libelf-dev libdw-dev libinih-dev libcjson-dev
    libfdt-dev libzstd-dev zlib1g-dev libiberty-dev libmicrohttpd-dev libgnutls28-dev
    libsqlite3-dev libcurl4-gnutls-dev"
packages_guest="gcc-riscv64-linux-gnu g++-riscv64-linux-gnu libc6-dev-riscv64-cross
    gcc-riscv64-unknown-elf picolibc-riscv64-unknown-elf"
packages_test="python3 python3-jsonschema python3-pylsp-jsonrpc zstd python3-markdown zsh
    libcmocka-dev gnuplot-nox qemu-user qemu-system-misc gdb-multiarch valgrind protobuf-compiler
    golang-github-google-pprof-dev lcov curl postgresql libpq-dev libsdl2-dev libfreetype-dev
    fonts-dejavu-core libncurses-dev tmux xvfb xdotool imagemagick chromium kcachegrind dbus-daemon
    golang-go"
packages_fuzz="clang"

say() { echo "rvsim: $*" >&2; }
fail() { say "$*"; exit 1; }

packages_of() {
    for group in "$@"; do
        case $group in
        build) echo $packages_build ;;
        guest) echo $packages_guest ;;
        test) echo $packages_test ;;
        fuzz) echo $packages_fuzz "$(clang_runtime)" ;;
        *) fail "setup.sh: no group '$group' (build, guest, test, fuzz, all)" ;;
        esac
    done
}

# The sanitizer and fuzzer runtime is packaged under clang's version.
clang_runtime() {
    local version
    version=$({ dpkg-query -W -f '${Depends}\n' clang || apt-cache depends clang; } 2>/dev/null |
        grep -oE 'clang-[0-9]+' | head -n 1)
    echo "${version:+lib${version/-/-rt-}-dev}"
}

missing_of() {
    local installed
    installed=" $(dpkg-query -W -f '${db:Status-Status}=${Package} ' "$@" 2>/dev/null) "
    for package in "$@"; do
        case $installed in *" installed=$package "*) ;; *) echo "$package" ;; esac
    done
}

has_capstone() {
    compgen -G "$deps/capstone/usr/lib/*/libcapstone.a" >/dev/null ||
        pkg-config --atleast-version=5 capstone 2>/dev/null
}

# Another process may be installing: apt waits for the dpkg lock, but not for the lock of its lists.
update_lists() {
    local text
    for _ in $(seq 60); do
        text=$("$@" apt-get -q update 2>&1) && return
        case $text in *"Could not get lock"*) sleep 5 ;; *) break ;; esac
    done
    say "apt-get update: ${text##*$'\n'}"
}

install_packages() {
    local as_root=(env) options=(-y --no-install-recommends) log
    if [ "$(id -u)" != 0 ]; then
        if ! sudo -n true 2>/dev/null; then
            say "packages are missing; run this, then try again:"
            if command -v sudo >/dev/null; then
                echo "sudo sh -c 'apt-get update; apt-get install ${options[*]} $*'"
            else
                echo "su -c 'apt-get update; apt-get install ${options[*]} $*'"
            fi
            exit 1
        fi
        as_root=(sudo -n env)
    fi
    say "installing (this takes a minute or two): $*"
    update_lists "${as_root[@]}"
    log=$(mktemp) || exit 1
    "${as_root[@]}" DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=300 \
        install "${options[@]}" "$@" >"$log" 2>&1 </dev/null ||
        { tail -n 30 "$log" >&2; fail "apt-get could not install: $* (whole log: $log)"; }
    rm -f "$log"
}

# The places this machine takes its own release from; the next release lies beside it.
mirrors() {
    local codename
    codename=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
    apt-get indextargets --no-release-info --format \
        '$(CREATED_BY) $(COMPONENT) $(RELEASE) $(REPO_URI)' 2>/dev/null |
        awk -v name="$codename" '$1 == "Packages" && $2 == "main" && $4 !~ /^cdrom:/ &&
            ($3 == name || $3 ~ /^(old)*stable$|^testing$|^unstable$/) && !seen[$4]++ {print $4}'
}

# fetch PACKAGE ARCHITECTURE NAME: unpack the next release's PACKAGE as $deps/NAME.
# apt works on lists and a cache of its own in a scratch directory; the system's stay as they are.
fetch() (
    scratch=$(mktemp -d) || exit 1
    trap 'rm -rf "$scratch"' EXIT
    mkdir -p "$scratch"/{lists,cache/archives}/partial "$scratch/root" "$deps"
    signed=
    [ -e "$keyring" ] && signed=" signed-by=$keyring"
    options=(-q -o Dir::Etc::SourceList="$scratch/sources.list" -o Dir::Etc::SourceParts=/dev/null
        -o Dir::Etc::Preferences=/dev/null -o Dir::Etc::PreferencesParts=/dev/null
        -o Dir::State::Lists="$scratch/lists" -o Dir::Cache="$scratch/cache"
        -o APT::Sandbox::User=root -o Acquire::Languages=none -o APT::Architecture="$2"
        -o APT::Architectures="$2" -o Acquire::IndexTargets::deb::DEP-11::DefaultEnabled=false
        -o Acquire::IndexTargets::deb::Contents-deb::DefaultEnabled=false)
    for mirror in $(mirrors); do
        echo "deb [arch=$2$signed] $mirror $newer main" >"$scratch/sources.list"
        rm -f "$scratch"/lists/*_*
        apt-get "${options[@]}" --error-on=any update &&
            (cd "$scratch" && apt-get "${options[@]}" download "$1") &&
            dpkg-deb -x "$scratch"/"$1"_*.deb "$scratch/root" &&
            cp -a "$scratch/root" "$deps/$3.$$" && mv -T "$deps/$3.$$" "$deps/$3" && exit 0
    done >"$scratch/log" 2>&1
    sed 's/^/    /' "$scratch/log" >&2
    exit 1
)

[ $# -gt 0 ] || fail "usage: tests/setup.sh GROUP... (build, guest, test, fuzz, all)"
[ "$1" = all ] && set -- build guest test fuzz
if ! command -v dpkg-query >/dev/null; then
    say "no Debian packages here; install by hand: $(packages_of "$@" | xargs) and capstone 5"
    exit 0
fi

wanted=$(packages_of "$@") || exit 1
if ! has_capstone; then
    candidate=$(apt-cache policy libcapstone-dev | awk '/Candidate:/ {print $2}')
    dpkg --compare-versions "${candidate/(none)/0}" ge 5 && wanted+=" libcapstone-dev"
fi
missing=$(missing_of $wanted)
[ -z "$missing" ] || install_packages $missing
if ! has_capstone; then
    say "fetching capstone 5 into $deps/capstone"
    fetch libcapstone-dev "$(dpkg --print-architecture)" capstone ||
        fail "no mirror of this machine gave capstone 5 (Debian $newer: libcapstone-dev)"
fi
case " $* " in
*" test "*)
    if [ ! -e "$deps/busybox-riscv64" ]; then
        say "fetching busybox for riscv64 into $deps/busybox-riscv64"
        fetch busybox-static riscv64 busybox-riscv64 ||
            say "no busybox for riscv64: the tests that run it are skipped"
    fi
    if [ ! -e "$deps/node/node_modules/speedscope" ] && command -v npm >/dev/null; then
        say "fetching speedscope into $deps/node"
        npm install --silent --no-audit --no-fund --prefix "$deps/node" speedscope@1.25.0 \
            >/dev/null 2>&1 </dev/null || say "no speedscope: the test that reads by it is skipped"
    fi ;;
esac
exit 0
