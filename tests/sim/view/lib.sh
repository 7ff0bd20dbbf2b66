# Shared by the tests of this folder: their program, and what lies below them.
. tests/sim/cli/lib.sh
view=${here%/cli}/view

build_mixed() {
    "${GUEST_CC:-riscv64-unknown-elf-gcc}" -g -march=rv64im -mabi=lp64 -nostdlib -static -Wl,-N \
        -Wl,--build-id=none -T "$tools/bare.ld" "$view/mixed.S" -o mixed 2>log ||
        not_ok "the program mixed.S builds" "$(cat log)"
}
# key FILE EXPRESSION: of the JSON `m`, as Python prints it
key() {
    python3 -c 'import json, sys; m = json.load(open(sys.argv[1])); print(eval(sys.argv[2]))' "$@"
}
