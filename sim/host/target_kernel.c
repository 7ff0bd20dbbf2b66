/* Names of the guest kernel's code, beside the program's. See target.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pmu/abi_kernel.h"
#include "sim/host/paths.h"
#include "sim/host/target.h"

/* The suffix of kernel routines in stacks of Linux's perf (Gregg, FlameGraph). */
static const char mark[] = "_[k]";

/* Code in machine mode runs at physical addresses. */
static bool runs_untranslated(const struct image_symbol *symbol)
{
    return strncmp(symbol->name, "machine_", strlen("machine_")) == 0;
}

/* Lists the kernel's functions, with the suffix added to their names in *names. Returns their
 * number. */
static size_t list_functions(const struct image *kernel, struct symbols_entry *entry, char *names)
{
    size_t count = 0;

    for (size_t i = 0; i < kernel->symbol_count; i++) {
        const struct image_symbol *symbol = &kernel->symbols[i];

        if (!symbol->is_function)
            continue;
        entry[count++] = (struct symbols_entry){.name = names, .address = symbol->addr,
                                                .bytes = symbol->bytes, .is_function = true};
        if (runs_untranslated(symbol)) {
            entry[count] = entry[count - 1];
            entry[count++].address = symbol->addr - KERNEL_MAP;
        }
        names += sprintf(names, "%s%s", symbol->name, mark) + 1;
    }
    return count;
}

static enum err make_symbols(struct target *target, bool with_lines, struct diag *diag)
{
    const struct image *kernel = &target->kernel;
    struct symbols_entry *entry = calloc(2 * kernel->symbol_count + 1, sizeof *entry);
    size_t bytes = 1;
    enum err err;

    for (size_t i = 0; i < kernel->symbol_count; i++)
        bytes += strlen(kernel->symbols[i].name) + sizeof mark;
    target->kernel_names = malloc(bytes);
    if (entry == NULL || target->kernel_names == NULL) {
        free(entry);
        return diag_no_memory(diag, "symbols of the guest kernel");
    }
    const struct symbols_program program = {
        .entry = entry, .entries = list_functions(kernel, entry, target->kernel_names),
        .file = with_lines ? kernel->file : NULL, .file_bytes = kernel->file_bytes,
        .bias = kernel->bias,
        .code = target_read_code, .arg = &target->kernel, .xlen = kernel->xlen,
        .object = "[kernel]",
    };
    err = symbols_new(&target->kernel_symbols, &program, diag);
    free(entry);
    return err;
}

enum err target_add_kernel(struct target *target, bool with_lines, struct diag *diag)
{
    char path[PATHS_MAX];
    enum err err;

    if (target->kernel_symbols != NULL)
        return ERR_OK;
    paths_kernel(path);
    err = image_open(&target->kernel, path, diag);
    if (err == ERR_OK)
        err = make_symbols(target, with_lines, diag);
    if (err == ERR_OK)
        symbols_set_beside(target->symbols, target->kernel_symbols);
    return err;
}
