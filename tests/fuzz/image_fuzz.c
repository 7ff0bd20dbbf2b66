/* Any bytes as a program file: read, looked up, and, if a Linux program, made a process. */
#include <stdlib.h>
#include <string.h>

#include "sim/run/load/image.h"
#include "sim/run/linux/process.h"

enum { RAM_BYTES = 1 << 22, SEGMENT_MAX = 1 << 21 };

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

static uint64_t no_time(void *arg)
{
    (void)arg;
    return 0;
}

/* Every description must lie in the file, in order, and be found again. */
static void check(const struct image *image)
{
    for (size_t i = 0; i < image->segment_count; i++) {
        const struct image_segment *segment = &image->segments[i];
        size_t at = (size_t)(segment->bytes - image->file);

        if (at > image->file_bytes || segment->file_bytes > image->file_bytes - at ||
            segment->file_bytes > segment->mem_bytes ||
            (i > 0 && segment->vaddr < segment[-1].vaddr))
            abort();
    }
    for (size_t i = 0; i < image->symbol_count; i++) {
        const struct image_symbol *symbol = &image->symbols[i];

        if (image_find_symbol(image, symbol->name) == NULL ||
            (i > 0 && symbol->addr < symbol[-1].addr))
            abort();
        image_symbol_at(image, symbol->addr);
    }
    for (size_t i = 0; i < image->section_count; i++)
        if (image_find_section(image, image->sections[i].name) == NULL)
            abort();
}

static void make_process(const struct image *image)
{
    static struct cpu cpu;
    char *arguments[] = {(char *)"app"};
    struct process_options options = {
        .argc = 1, .argv = arguments, .fds = {-1, -1, -1}, .time_ns = no_time};
    struct process *process = NULL;
    struct config config;
    struct phys phys;
    uint64_t pa;

    config_init(&config);
    if (!phys_init(&phys, RAM_BYTES))
        abort();
    if (!cpu_init(&cpu, &config, &phys, 0))
        abort();
    if (process_new(&process, &cpu, &phys, image, &options, NULL) == ERR_OK &&
        !process_translate(process, image->segments[0].vaddr, &pa) &&
        image->segments[0].flags % 8 != 0)
        abort();
    process_free(process);
    cpu_free(&cpu);
    phys_free(&phys);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    uint8_t *copy = malloc(count + 1);
    struct image image;
    struct diag diag;

    if (copy == NULL)
        return 0;
    memcpy(copy, bytes, count);
    if (image_open_memory(&image, "app.elf", copy, count, &diag) != ERR_OK)
        return 0;
    check(&image);
    if (image.is_linux)
        make_process(&image);
    image_close(&image);
    return 0;
}
