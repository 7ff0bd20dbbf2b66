/* Writes the reference pages from the tables of the source: docs/generate DIRECTORY.
 * Every list in the documentation that also exists as a .def table comes from here. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/csr.h"
#include "isa/insn.h"
#include "isa/op.h"
#include "pmu/event.h"
#include "sim/base/choice.h"
#include "sim/base/config_read.h"
#include "sim/host/counting.h"
#include "sim/run/linux/process.h"

static FILE *open_page(const char *directory, const char *name, const char *title,
                       const char *source)
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

/* ---- tables ---------------------------------------------------------------------------------- */

/* A row of a table. A bar in a cell is escaped: it would begin the next cell, in code as well. */
static void write_row(FILE *page, const char *const *cell, size_t cells)
{
    for (size_t i = 0; i < cells; i++) {
        fputs(i == 0 ? "| " : " | ", page);
        for (const char *at = cell[i]; *at != '\0'; at++) {
            if (*at == '|')
                fputc('\\', page);
            fputc(*at, page);
        }
    }
    fputs(" |\n", page);
}
#define ROW(page, ...)                                                                             \
    write_row(page, (const char *const[]){__VA_ARGS__},                                            \
              sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *))

/* `text`, in a buffer of the caller. */
enum { CODE_TEXT = 96 };
static const char *code(const char *text, char buffer[CODE_TEXT])
{
    snprintf(buffer, CODE_TEXT, "`%s`", text);
    return buffer;
}

static const char *number(const char *format, unsigned value, char buffer[CODE_TEXT])
{
    snprintf(buffer, CODE_TEXT, format, value);
    return buffer;
}

/* ---- settings -------------------------------------------------------------------------------- */

struct settings { FILE *page; char section[64]; };

static void write_setting(void *arg, const struct config_row *row)
{
    struct settings *settings = arg;
    size_t length = strcspn(row->key, ".");
    char key[CODE_TEXT];
    if (strncmp(settings->section, row->key, length) != 0 || settings->section[length] != '\0') {
        snprintf(settings->section, sizeof settings->section, "%.*s", (int)length, row->key);
        fprintf(settings->page, "\n## %s\n\n| setting | default | range | unit | meaning "
                                "|\n|---|---|---|---|---|\n",
                settings->section);
    }
    ROW(settings->page, code(row->key, key), row->value, row->range, row->unit, row->help);
}

/* names: of a table of sim/base/choice.h. */
static void write_choices(FILE *page, const char *settings, const char *names)
{
    const struct choice *choice;
    char key[CODE_TEXT];

    fprintf(page, "\n### %s\n\n| choice | meaning |\n|---|---|\n", settings);
    for (size_t i = 0; (choice = choice_at(names, i)) != NULL; i++)
        ROW(page, code(choice->name, key), choice->meaning);
}

static void write_components(FILE *page)
{
    fputs("\n## Components\n\n"
          "The choices of these settings are components, each in a file of its own\n"
          "([Extending rvsim](../extending.md)).\n", page);
    write_choices(page, "bpred.kind", choices_direction + 1);
    write_choices(page, "bpred.indirect", choices_indirect + 1);
    write_choices(page, "l1i.prefetch, l1d.prefetch", choices_prefetch + 1);
    write_choices(page, "l1i, l1d, l2, l3.replacement", choices_replacement + 1);
}

/* ---- sources of the defaults, from the comments of a preset ---------------------------------- */

/* The texts that the head of a preset lists: "#   [P]   TEXT", and lines that go on further in. */
static void write_source(FILE *page, const char *line, bool *is_item)
{
    const char *text = line + strspn(line, "# ");

    if (text - line < 4)
        *is_item = false;
    else if (*text == '[' || *is_item)
        fprintf(page, "%s%s", *text == '[' ? "* " : "  ", text);
    *is_item |= text - line >= 4 && *text == '[';
}

/* "KEY = VALUE   # COMMENT" of a section. */
static void write_default(FILE *page, const char *section, char *line)
{
    char *equals = strstr(line, " = "), *comment = strstr(line, "# "), key[CODE_TEXT];

    if (equals == NULL || comment == NULL || section[0] == '\0')
        return;
    comment[strcspn(comment, "\n")] = '\0';
    snprintf(key, sizeof key, "`%s.%.*s`", section, (int)strcspn(line, " "), line);
    equals += 3;
    equals[strcspn(equals, " ")] = '\0';
    ROW(page, key, equals, comment + 2);
}

static void write_sources(FILE *page, const char *preset)
{
    FILE *in = fopen(preset, "r");
    char line[256], section[64] = "";
    bool is_item = false, is_table = false;

    if (in == NULL) {
        perror(preset);
        exit(2);
    }
    fprintf(page, "\n## Sources of the defaults\n\n"
            "The comments of `%s` have the source of each number, and *choice* where there is\n"
            "none:\n\n", preset);
    while (fgets(line, sizeof line, in) != NULL) {
        if (line[0] == '#')
            write_source(page, line, &is_item);
        if (line[0] == '[' && !is_table)
            is_table = fputs("\n| setting | default | source |\n|---|---|---|\n", page) >= 0;
        if (line[0] == '[')
            snprintf(section, sizeof section, "%.*s", (int)strcspn(line + 1, "]"), line + 1);
        write_default(page, section, line);
    }
    fputs("\nAll other defaults are those of the preset `classic`. Its widths, reorder buffer and "
          "caches are\nthose of a published open core (SonicBOOM, CARRV 2020); its latencies, L2 "
          "and memory are round\nnumbers. A setting of a model has no effect by default; the preset "
          "of the core sets it, with the\nsource in the comment.\n", page);
    fclose(in);
}

static void write_settings(const char *directory)
{
    struct config config;
    struct diag diag;
    struct settings settings = {
        open_page(directory, "settings", "Settings", "sim/base/config.def"), "",
    };
    fputs("Give them in a file (`--config FILE`, sections in brackets) or one by one\n"
          "(`--set l1d.kib=16`). A number may end in K, M or G: powers of 1,024 of a size (bytes, "
          "entries,\n"
          "instructions), of 1,000 of a time or count. The defaults shown are the preset "
          "`default`. A file that does not begin with\n"
          "`inherit` builds on them; the last table has their [sources](#sources-of-the-defaults).\n"
          "[Machines](../guide/machine.md) has the settings by task.\n", settings.page);
    config_init(&config);
    if (config_load(&config, "default", "sim/presets", &diag) != ERR_OK) {
        fprintf(stderr, "%s\n", diag.text);
        exit(2);
    }
    config_visit(&config, write_setting, &settings);
    write_components(settings.page);
    write_sources(settings.page, "sim/presets/default.ini");
    fclose(settings.page);
}

/* ---- events ---------------------------------------------------------------------------------- */

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

static void write_event(FILE *page, const char *name, unsigned selector, unsigned place)
{
    unsigned scope = event_scope(selector);
    char hex[CODE_TEXT], quoted[CODE_TEXT];
    ROW(page, number("0x%02x", selector, hex), code(name, quoted), one_count[scope],
        places[place].where, path_of(scope, place), event_meaning(selector));
}

static void write_filter(FILE *page, const struct counting_filter *filter)
{
    char name[CODE_TEXT / 2], quoted[CODE_TEXT];

    snprintf(name, sizeof name, "%s%s%s", filter->name, filter->argument != NULL ? "=" : "",
             filter->argument != NULL ? filter->argument : "");
    ROW(page, code(name, quoted), filter->meaning);
}

static void write_events(const char *directory)
{
    FILE *page = open_page(directory, "events", "Events", "pmu/event.def");
    fputs("The code is the selector in `mhpmevent[7:0]`.\n\n"
          "* One count is an **instruction** that met the event and committed (such events can "
          "be limited\n"
          "  to marked instructions), an **occurrence**, a **cycle**, or a dispatch **slot**. "
          "Every slot is\n"
          "  in exactly one of the events `slots_*`. Every slot outside of `slots_retiring`,\n"
          "  `slots_serial` and `slots_idle` is in exactly one of `lost_*`. Every cycle is in "
          "exactly one\n"
          "  of `cpi_*`.\n"
          "* Where: the part of the machine that counts the event. An event of an instruction is "
          "noted\n"
          "  there and counted when the instruction commits.\n"
          "* Path: **retired** events belong to the path that commits and to its consequences.\n"
          "  **Speculative** events include paths that were squashed. Sums over all cycles or "
          "all slots\n"
          "  have no path.\n\n"
          "| code | event | one count is | where | path | counts "
          "|\n|---|---|---|---|---|---|\n", page);
#define EVENT(id, code, name, scope, place, meaning) write_event(page, name, code, PLACE_##place);
#include "pmu/event.def"
#undef EVENT
    fputs("\n## Filters of --count\n\nThe words after the event: `--count EVENT:FILTER,...`.\n\n"
          "| filter | counts |\n|---|---|\n", page);
    for (unsigned i = 0; counting_filter_at(i) != NULL; i++)
        write_filter(page, counting_filter_at(i));
    fclose(page);
}

/* ---- instructions and registers -------------------------------------------------------------- */

static void write_instructions(const char *directory)
{
    static const char *const unit[] = {"int", "branch", "complex", "load", "store", "fp"};
    FILE *page = open_page(directory, "instructions", "Instructions", "isa/insn.def");
    static const bool in_32[OP_ROWS] = {
#define INSN(name, ...) [OP_##name] = true,
#define ISA_RV32
#include "isa/insn.def"
    };
    fputs("RV32IMAFDC and RV64IMAFDC, Zicsr, Zifencei, Zba, Zbb, Zbs, Zicond, Zicntr, Zihpm and "
          "the\n"
          "custom-0 profiling instructions. A compressed encoding executes as the instruction it "
          "expands to.\n\n"
          "An instruction *alone at the head* executes when all older ones have committed, and "
          "nothing younger\n"
          "dispatches before it is done. `rdac` and `rdic` read [own counters]"
          "(../guide/marks.md); `pmret`, `pprobe` and\n"
          "`plocate` are the resident monitor's (return, read memory, find an address); `magic` is "
          "gem5's.\n\n"
          "| instruction | unit | bytes accessed | alone at the head | in RV32 "
          "|\n|---|---|---|---|---|\n",
          page);
    for (unsigned op = 1; op < OP_ROWS; op++) {
        const struct insn_info *info = &insn_info[op];
        char name[CODE_TEXT], bytes[CODE_TEXT];
        ROW(page, code(info->name, name), unit[info->unit], number("%u", info->mem_bytes, bytes),
            info->flags & INSN_IS_SERIAL ? "yes" : "", in_32[op] ? "yes" : "");
    }
    fclose(page);
}

static void write_registers(const char *directory)
{
    static const char *const owner[] = {"", "hart", "PMU", "clock", "profiling",
                                        "indirect", "triggers"};
    static const char *const level[] = {"U", "S", "", "M"};
    FILE *page = open_page(directory, "registers", "Control and status registers", "isa/csr.def");
    fputs("The RISC-V privileged manual (20240411) and the extensions Sscofpmf, Smcntrpmf, Smcdeleg, "
          "Smctr,\n"
          "Smcsrind, Sstc and Sdtrig define the registers without `prof_`, `mon_` or `ind_` in "
          "their names.\n"
          "The [guide](../guide/guest.md#the-registers-of-the-profiling-hardware) has the meanings "
          "of the others. Upper halves,\n"
          "such as `mcycleh` of `mcycle`, exist with XLEN = 32 only.\n\n"
          "*Kept by* is the part of the machine that has the value: the hart; the PMU "
          "(counters and their events);\n"
          "the clock; the profiling hardware; the debug triggers; *indirect*: a window on "
          "registers that another one\n"
          "selects, or control transfer records.\n\n"
          "| number | name | lowest privilege | access | kept by |\n|---|---|---|---|---|\n", page);
    for (unsigned csr = 0; csr < 4096; csr++) {
        char hex[CODE_TEXT], name[CODE_TEXT];
        if (csr_owner(csr) != CSR_NONE)
            ROW(page, number("0x%03x", csr, hex), code(csr_name(csr), name), level[csr >> 8 & 3],
                csr >> 10 == 3 ? "read-only" : "read/write", owner[csr_owner(csr)]);
    }
    fclose(page);
}

/* ---- system calls ---------------------------------------------------------------------------- */

/* How a table serves a call; NULL: it has no row. */
static const char *served_by_host(uint64_t number)
{
    switch (number) {
#define SYSCALL(id, name, kinds) case id: return "yes";
#define SYSCALL_VALUE(id, name, value) case id: return "fixed result `" #value "`";
#define SYSCALL_ABSENT(id, name) case id: return "ENOSYS";
#include "sim/run/linux/syscall.def"
#undef SYSCALL
#undef SYSCALL_VALUE
#undef SYSCALL_ABSENT
    default: return NULL;
    }
}

static const char *served_by_kernel(uint64_t number)
{
    switch (number) {
#define KERNEL(id, name) case id: return "in the guest";
#define VALUE(id, name, value) case id: return "fixed result `" #value "`";
#include "pmu/abi_syscall.def"
#undef KERNEL
#undef VALUE
    default: return NULL;
    }
}

static void write_syscalls(const char *directory)
{
    enum { SYSTEM_CALLS = 2048 };
    FILE *page = open_page(directory, "syscalls", "System calls",
                           "sim/run/linux/syscall.def` and `pmu/abi_syscall.def");
    fputs("The system calls of a Linux program: how the host serves them (`--os host`, the default for "
          "a program\n"
          "of one thread), and how they are served with the guest kernel (`--os kernel`), which "
          "passes some to\n"
          "the host. Every other number returns ENOSYS and is reported once. `GUEST_PID`, `GUEST_USER` and\n"
          "`GUEST_GROUP` are 1000, `GUEST_PARENT` is 1.\n\n"
          "| number | name | by the host | with the guest kernel |\n|---|---|---|---|\n", page);
    for (uint64_t id = 0; id < SYSTEM_CALLS; id++) {
        const char *host = served_by_host(id), *kernel = served_by_kernel(id);
        char quoted[CODE_TEXT], value[CODE_TEXT];
        if (host == NULL && kernel == NULL)
            continue;
        ROW(page, number("%u", (unsigned)id, value), code(process_syscall_name(id), quoted),
            host != NULL ? host : "ENOSYS",
            kernel != NULL ? kernel : strcmp(host, "yes") == 0 ? "by the host" : host);
    }
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
