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

enum { PATH_ANY, PATH_RETIRED, PATH_NONE };

/* The rows of events name their places so; a name that is not in the table does not compile. */
enum {
#define EVENT_PLACE(id, where, path) PLACE_##id,
#include "pmu/event_place.def"
#undef EVENT_PLACE
};

static const struct { const char *where; unsigned path; } places[] = {
#define EVENT_PLACE(id, where, path) {where, PATH_##path},
#include "pmu/event_place.def"
#undef EVENT_PLACE
};

static const char *const one_count[] = {
    [SCOPE_INSN] = "instruction", [SCOPE_EACH] = "occurrence", [SCOPE_CYCLE] = "cycle",
    [SCOPE_SLOT] = "slot", [SCOPE_LOST] = "lost slot", [SCOPE_CPI] = "cycle",
};

/* Slots, and what commit did in a cycle, are all there are, whatever the path. */
static const char *path_of(unsigned scope, unsigned place)
{
    static const char *const name[] = {
        [PATH_ANY] = "speculative", [PATH_RETIRED] = "retired", [PATH_NONE] = "",
    };
    if (scope == SCOPE_INSN)
        return "retired";
    return scope == SCOPE_EACH || scope == SCOPE_CYCLE ? name[places[place].path] : "";
}

static void write_event(FILE *page, const char *name, unsigned code, unsigned place)
{
    unsigned scope = event_scope(code);
    fprintf(page, "| 0x%02x | `%s` | %s | %s | %s | %s |\n", code, name, one_count[scope],
            places[place].where, path_of(scope, place), event_meaning(code));
}

static void write_events(const char *directory)
{
    FILE *page = open_page(directory, "events", "Events", "pmu/event.def");
    fputs("The code is the selector in `mhpmevent[7:0]`.\n\n"
          "* One count is an **instruction** that committed and to which this happened (such events can\n"
          "  be limited to marked instructions), an **occurrence**, a **cycle**, or a **slot** of\n"
          "  dispatch. Every slot is in exactly one of the events `slots_*`; every slot but those of\n"
          "  `slots_retiring`, `slots_serial` and `slots_idle` is in exactly one of `lost_*`; every cycle\n"
          "  is in exactly one of `cpi_*`.\n"
          "* Where: the place in the pipeline or beside it that counts, or that notes it in an\n"
          "  instruction, which then counts when it commits.\n"
          "* Path: **retired** is what the program did, and what that caused. **Speculative** is what\n"
          "  happened on any path, also on one that was thrown away. Sums over all cycles or all\n"
          "  slots have none.\n\n"
          "| code | event | one count is | where | path | counts |\n|---|---|---|---|---|---|\n", page);
#define EVENT(id, code, name, scope, place, meaning) write_event(page, name, code, PLACE_##place);
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
    FILE *page = open_page(directory, "syscalls", "System calls", "sim/run/linux/syscall.def");
    fputs("What the host serves to a static Linux program. Every other number returns ENOSYS and is\n"
          "reported once.\n\n| number | name | served |\n|---|---|---|\n", page);
#define SYSCALL(number, name, kinds) fprintf(page, "| %d | `%s` | yes |\n", number, #name);
#define SYSCALL_VALUE(number, name, value) fprintf(page, "| %d | `%s` | fixed result `%s` |\n", number, #name, #value);
#define SYSCALL_ABSENT(number, name) fprintf(page, "| %d | `%s` | ENOSYS |\n", number, #name);
#include "sim/run/linux/syscall.def"
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
