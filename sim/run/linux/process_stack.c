/* The stack a Linux program begins with: argument count and vector, environment, auxiliary vector,
 * and above them the strings. Source: RISC-V ELF psABI 1.0, "Linux-specific ABI"; Linux
 * fs/binfmt_elf. */
#include <elf.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "sim/run/linux/process_internal.h"

enum { STACK_ALIGNMENT = 16, RANDOM_BYTES = 16, AUXV_MAX = 24, MINIMUM_SIGNAL_STACK = 2048 };

/* The top of the stack, filled from its end downwards. */
struct builder {
    uint8_t *bytes;
    uint64_t size, used;        /* bytes */
};

static uint64_t push(struct builder *builder, const void *from, size_t bytes)
{
    builder->used += bytes;
    memcpy(builder->bytes + (builder->size - builder->used), from, bytes);
    return PROCESS_STACK_TOP - builder->used;
}

static uint64_t push_string(struct builder *builder, const char *text)
{
    return push(builder, text, strlen(text) + 1);
}

static size_t count_env(const struct process_options *options)
{
    size_t count = 0;

    while (options->env != NULL && options->env[count] != NULL) {
        count++;
    }
    return count;
}

/* Room for everything, with slack for alignment. */
static uint64_t needed_bytes(const struct process *process, const struct process_options *options)
{
    size_t i, env_count = count_env(options), argc = (size_t)options->argc;
    uint64_t bytes = (argc + env_count + 3 + 2 * AUXV_MAX) * sizeof(uint64_t) + RANDOM_BYTES + 64;

    for (i = 0; i < argc; i++) {
        bytes += strlen(options->argv[i]) + 1;
    }
    for (i = 0; i < env_count; i++) {
        bytes += strlen(options->env[i]) + 1;
    }
    return bytes + strlen(process->files.exe_name) + 1;
}

static uint64_t hardware_capabilities(const struct process *process)
{
    uint64_t user_letters = 0;
    const char *letter;

    for (letter = "IMAFDCV"; *letter != '\0'; letter++) {
        user_letters |= UINT64_C(1) << (*letter - 'A');
    }
    return process->cpu->hart.misa & user_letters;
}

static size_t fill_auxv(const struct process *process, uint64_t exe_va, uint64_t random_va,
                        uint64_t (*auxv)[2])
{
    const struct image *image = process->image;
    const uint64_t entries[][2] = {
        {AT_HWCAP, hardware_capabilities(process)}, {AT_PAGESZ, PHYS_PAGE_BYTES},
        {AT_CLKTCK, 100}, {AT_PHDR, image->phdr_vaddr}, {AT_PHENT, image->phdr_bytes},
        {AT_PHNUM, image->phdr_vaddr != 0 ? image->phdr_count : 0}, {AT_BASE, 0}, {AT_FLAGS, 0},
        {AT_ENTRY, image->entry}, {AT_UID, GUEST_USER}, {AT_EUID, GUEST_USER},
        {AT_GID, GUEST_GROUP}, {AT_EGID, GUEST_GROUP}, {AT_SECURE, 0}, {AT_RANDOM, random_va},
        {AT_MINSIGSTKSZ, MINIMUM_SIGNAL_STACK}, {AT_EXECFN, exe_va}, {AT_NULL, 0},
    };

    _Static_assert(sizeof entries / sizeof entries[0] <= AUXV_MAX, "AUXV_MAX");
    memcpy(auxv, entries, sizeof entries);
    return sizeof entries / sizeof entries[0];
}

/* Strings first, then the vectors that point to them, in one array of words. */
static uint64_t fill(struct process *process, const struct process_options *options,
                     struct builder *builder, uint64_t *words)
{
    size_t i, count = 0, argc = (size_t)options->argc, env_count = count_env(options);
    uint8_t random[RANDOM_BYTES], zero = 0;
    uint64_t auxv[AUXV_MAX][2], exe_va, random_va;

    process_random(process, random, sizeof random);
    exe_va = push_string(builder, process->files.exe_name);
    random_va = push(builder, random, sizeof random);
    words[count++] = argc;
    for (i = 0; i < argc; i++) {
        words[count++] = push_string(builder, options->argv[i]);
    }
    words[count++] = 0;
    for (i = 0; i < env_count; i++) {
        words[count++] = push_string(builder, options->env[i]);
    }
    words[count++] = 0;
    i = fill_auxv(process, exe_va, random_va, auxv);
    memcpy(&words[count], auxv, i * sizeof auxv[0]);
    process->vector = count * sizeof *words;        /* after sp, which is not known yet */
    count += 2 * i;
    while ((builder->used + count * sizeof *words) % STACK_ALIGNMENT != 0) {
        push(builder, &zero, 1);
    }
    uint64_t sp = push(builder, words, count * sizeof *words);
    process->vector += sp;
    return sp;
}

enum err process_build_stack(struct process *process, const struct process_options *options,
                             uint64_t *sp, struct diag *diag)
{
    struct builder builder = {.size = needed_bytes(process, options)};
    uint64_t *words;
    bool is_written;

    if (builder.size > PROCESS_STACK_BYTES / 4) {
        return diag_set(diag, ERR_USAGE, "%s: arguments and environment take %" PRIu64
                        " bytes; %" PRIu64 " fit on the stack", process->image->path, builder.size,
                        (uint64_t)PROCESS_STACK_BYTES / 4);
    }
    builder.bytes = malloc(builder.size);
    words = malloc(builder.size);
    if (builder.bytes == NULL || words == NULL) {
        free(builder.bytes);
        free(words);
        return diag_no_memory(diag, NULL);
    }
    *sp = fill(process, options, &builder, words);
    is_written = vm_write(&process->vm, *sp, builder.bytes + (builder.size - builder.used),
                          builder.used);
    free(builder.bytes);
    free(words);
    return is_written ? ERR_OK
                      : diag_set(diag, ERR_USAGE, "%s: no memory left for its stack; raise "
                                 "machine.memory_mib", process->image->path);
}
