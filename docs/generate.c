/* Writes the reference pages from the tables of the source: docs/generate DIRECTORY.
 * Every list in the documentation that also exists as a .def table comes from here. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/csr.h"
#include "isa/insn.h"
#include "pmu/pmu.h"
#include "sim/base/config.h"

static FILE *open_page(const char *directory, const char *name, const char *title, const char *source)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s.md", directory, name);
    FILE *page = fopen(path, "w");
    if (page == NULL) {
        perror(path);
        exit(2);
    }
    fprintf(page, "# %s\n\nGenerated from `%s` by `make docs`; do not edit.\n\n", title, source);
    return page;
}

/* ---- settings --------------------------------------------------------------------------------- */

struct settings { FILE *page; char section[64]; };

static void write_setting(void *arg, const struct config_row *row)
{
    struct settings *settings = arg;
    size_t length = strcspn(row->key, ".");
    if (strncmp(settings->section, row->key, length) != 0 || settings->section[length] != '\0') {
        snprintf(settings->section, sizeof settings->section, "%.*s", (int)length, row->key);
        fprintf(settings->page, "\n## %s\n\n| setting | default | range | unit | meaning |\n|---|---|---|---|---|\n",
                settings->section);
    }
    fprintf(settings->page, "| `%s` | %s | %s | %s | %s |\n", row->key, row->value, row->range,
            row->unit, row->help);
}

static void write_settings(const char *directory)
{
    struct config config;
    struct settings settings = {open_page(directory, "settings", "Settings", "sim/base/config.def"), ""};
    fputs("Give them in a file (`--config FILE`, sections in brackets) or one by one\n"
          "(`--set l1d.kib=16`). Defaults are those of the preset `default`.\n", settings.page);
    config_init(&config);
    config_visit(&config, write_setting, &settings);
    fclose(settings.page);
}

/* ---- events ------------------------------------------------------------------------------------- */

static void write_events(const char *directory)
{
    FILE *page = open_page(directory, "events", "Events", "pmu/event.def");
    fputs("The code is the selector in `mhpmevent[7:0]`. Scope: `INSN` counts committed instructions to\n"
          "which this happened, and can be limited to marked instructions; `EACH` counts occurrences on\n"
          "any path; `CYCLE` cycles; `SLOT` dispatch slots, each of which is in exactly one of them.\n\n"
          "| code | event | scope | counts |\n|---|---|---|---|\n", page);
#define EVENT(id, code, name, scope, meaning) \
    fprintf(page, "| 0x%02x | `%s` | %s | %s |\n", code, name, #scope, meaning);
#include "pmu/event.def"
#undef EVENT
    fclose(page);
}

/* ---- instructions and registers ------------------------------------------------------------------- */

static void write_instructions(const char *directory)
{
    static const char *const unit[] = {"int", "branch", "complex", "load", "store", "fp"};
    FILE *page = open_page(directory, "instructions", "Instructions", "isa/insn.def");
    static const bool in_32[OP_ROWS] = {
#define INSN(name, ...) [OP_##name] = true,
#define ISA_RV32
#include "isa/insn.def"
    };
    fputs("RV32IMAFDC and RV64IMAFDC, Zicsr, Zifencei, Zba, Zbb, Zbs, Zicond, Zicntr, Zihpm and the\n"
          "custom-0 profiling instructions. Compressed encodings are executed as what they expand to.\n\n"
          "| instruction | unit | bytes accessed | alone at the head | in RV32 |\n|---|---|---|---|---|\n",
          page);
    for (unsigned op = 1; op < OP_ROWS; op++) {
        const struct insn_info *info = &insn_info[op];
        fprintf(page, "| `%s` | %s | %u | %s | %s |\n", info->name, unit[info->unit],
                info->mem_bytes, info->flags & INSN_IS_SERIAL ? "yes" : "", in_32[op] ? "yes" : "");
    }
    fclose(page);
}

static void write_registers(const char *directory)
{
    static const char *const owner[] = {"", "hart", "PMU", "clock", "profiling",
                                        "indirect", "triggers"};
    static const char *const level[] = {"U", "S", "", "M"};
    FILE *page = open_page(directory, "registers", "Control and status registers", "isa/csr.def");
    fputs("| number | name | lowest privilege | access | kept by |\n|---|---|---|---|---|\n", page);
    for (unsigned number = 0; number < 4096; number++)
        if (csr_owner(number) != CSR_NONE)
            fprintf(page, "| 0x%03x | `%s` | %s | %s | %s |\n", number, csr_name(number),
                    level[number >> 8 & 3], number >> 10 == 3 ? "read-only" : "read/write",
                    owner[csr_owner(number)]);
    fclose(page);
}

/* ---- system calls ---------------------------------------------------------------------------------- */

static void write_syscalls(const char *directory)
{
    FILE *page = open_page(directory, "syscalls", "System calls", "sim/run/syscall.def");
    fputs("What the host serves to a static Linux program. Every other number returns ENOSYS and is\n"
          "reported once.\n\n| number | name | served |\n|---|---|---|\n", page);
#define SYSCALL(number, name, kinds) fprintf(page, "| %d | `%s` | yes |\n", number, #name);
#define SYSCALL_VALUE(number, name, value) fprintf(page, "| %d | `%s` | fixed result `%s` |\n", number, #name, #value);
#define SYSCALL_ABSENT(number, name) fprintf(page, "| %d | `%s` | ENOSYS |\n", number, #name);
#include "sim/run/syscall.def"
    fclose(page);
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fputs("usage: generate DIRECTORY\n", stderr);
        return 2;
    }
    write_settings(argv[1]);
    write_events(argv[1]);
    write_instructions(argv[1]);
    write_registers(argv[1]);
    write_syscalls(argv[1]);
    return 0;
}
