/* The data of the programs that rvsim mem follows: symbols, their fields, and the areas of a Linux
 * program.
 *
 * Accesses ask for a program's data at the first of them. Those of a program that another one has
 * executed come from its file as the run has it, and are named as its routines are. */
#include <stdlib.h>
#include <string.h>

#include "pmu/key.h"
#include "sim/base/array.h"
#include "sim/cli/command/mem/mem.h"
#include "sim/cli/job/job.h"
#include "sim/run/linux/process.h"
#include "sim/run/load/image_program.h"

enum { AREAS = 5, AREA_NAME = 256 };
/* Areas of Linux programs: the heap is below the mappings, the mappings are below the stack, and
 * the guest kernel has the upper half. */
#define MAPPINGS UINT64_C(0x2000000000)
#define KERNEL_HALF (UINT64_C(1) << 63)
#define KERNEL_IMAGE (KERNEL_MAP + KERNEL_PA)

/* ---- one program ----------------------------------------------------------------------------- */

/* False: no memory. */
static bool add_object(struct mem_program *program, const char *name, uint64_t start, uint64_t end)
{
    size_t count = program->objects;

    if (start >= end)
        return true;
    program->name[count] = strdup(name);
    if (program->name[count] == NULL)
        return false;
    program->place[count] = (struct accesses_object){start, end,
                                                     fields_root_at(&program->fields, start)};
    program->objects++;
    return true;
}

/* Where symbols overlap, the addresses belong to the one that begins later. */
static bool add_symbols(struct mem_program *program, const struct symbols_entry *entry,
                        size_t entries)
{
    bool fits = true;

    for (size_t i = 0; i < entries && fits; i++) {
        struct accesses_object *next = &program->place[program->objects];

        if (entry[i].is_function || entry[i].bytes == 0)
            continue;
        if (program->objects != 0 && next[-1].start == entry[i].address)
            continue;
        if (program->objects != 0 && next[-1].end > entry[i].address)
            next[-1].end = entry[i].address;
        fits = add_object(program, entry[i].name, entry[i].address,
                          entry[i].address + entry[i].bytes);
    }
    return fits;
}

/* An area from start to end, addresses of the program; called "(heap)", or "(heap)@sort". */
static bool add_area(struct mem_program *program, const char *name, const char *of,
                     uint64_t start, uint64_t end)
{
    char text[AREA_NAME];

    snprintf(text, sizeof text, "%s%s%s", name, of != NULL ? "@" : "", of != NULL ? of : "");
    return add_object(program, text, key_of(program->number, start),
                      key_of(program->number, end - 1) + 1);
}

static uint64_t image_end(const struct image *image)
{
    uint64_t end = 0;

    for (size_t i = 0; i < image->segment_count; i++) {
        uint64_t last = image->segments[i].vaddr + image->segments[i].mem_bytes;

        end = last > end ? last : end;
    }
    return end - image_program(image);
}

/* ---- the guest kernel ------------------------------------------------------------------------ */

/* Below its image are devices, above it the memory that it hands out. */
static bool add_kernel(struct mem_program *program, const struct image *kernel)
{
    uint64_t end = KERNEL_IMAGE;
    bool fits = add_object(program, MEM_DEVICES, KERNEL_HALF, end);
    char name[AREA_NAME];

    for (size_t i = 0; i < kernel->symbol_count && fits; i++) {
        const struct image_symbol *datum = &kernel->symbols[i];

        if (datum->is_function || datum->bytes == 0 || datum->addr < end)
            continue;
        end = datum->addr + datum->bytes;
        snprintf(name, sizeof name, "%s" MEM_IN_KERNEL, datum->name);
        fits = add_object(program, name, datum->addr, end);
    }
    return fits && add_object(program, MEM_BOOT, KERNEL_MAP + KERNEL_BOOT_PA,
                              KERNEL_IMAGE + KERNEL_BYTES) &&
           add_object(program, MEM_KERNEL, KERNEL_IMAGE + KERNEL_BYTES, UINT64_MAX);
}

static bool add_areas(struct mem_program *program, const struct image *image,
                      const struct image *kernel)
{
    const char *of = program->number != 0 ? symbols_base_name(image->path) : NULL;

    return add_area(program, "(heap)", of, image_end(image), MAPPINGS) &&
           add_area(program, "(mappings)", of, MAPPINGS, PROCESS_STACK_START) &&
           add_area(program, "(stack)", of, PROCESS_STACK_START, PROCESS_STACK_TOP) &&
           (program->number != 0 || kernel->path == NULL || add_kernel(program, kernel));
}

static enum err make_program(struct mem_program *program, const struct image *image,
                             const struct symbols *symbols, const struct image *kernel,
                             struct diag *diag)
{
    const struct symbols_entry *entry;
    size_t entries = symbols_entries(symbols, &entry), most = entries + AREAS;
    enum err err = fields_read(&program->fields, symbols, diag);

    if (err != ERR_OK)
        return err;
    most += kernel != NULL ? kernel->symbol_count : 0;
    program->name = calloc(most, sizeof program->name[0]);
    program->place = calloc(most, sizeof program->place[0]);
    if (program->name == NULL || program->place == NULL ||
        !add_symbols(program, entry, entries) ||
        (kernel != NULL && !add_areas(program, image, kernel)))
        return diag_no_memory(diag, "data");
    return ERR_OK;
}

/* ---- all programs ---------------------------------------------------------------------------- */

/* The file of a program that another one executes comes before its libraries. */
static const struct target_module *file_of(const struct job *job, uint64_t number)
{
    for (size_t i = 0; i < job->target.modules; i++)
        if (image_program(&job->target.module[i]->image) == number)
            return job->target.module[i];
    return NULL;
}

bool mem_ask(void *arg, uint64_t number, struct accesses_map *map)
{
    struct mem *mem = arg;
    const struct job *job = mem->job;
    const struct target_module *file = number != 0 ? file_of(job, number) : NULL;
    struct mem_program *grown = array_grow(mem->program, mem->programs, sizeof *grown), *program;

    if (grown == NULL)
        return false;
    mem->program = grown;
    program = &grown[mem->programs++];
    *program = (struct mem_program){.number = number, .first = mem->objects};
    if (number == 0)
        mem->err = make_program(program, &job->target.image, job->target.symbols,
                                job->machine.process != NULL ? &job->target.kernel : NULL,
                                &mem->diag);
    else if (file != NULL)
        mem->err = make_program(program, &file->image, file->symbols, &job->target.kernel,
                                &mem->diag);
    mem->objects += (uint32_t)program->objects;
    *map = (struct accesses_map){program->place, program->objects, program->fields.part};
    return mem->err == ERR_OK;
}

const struct mem_program *mem_program_of(const struct mem *mem, uint32_t object)
{
    size_t at = 0;

    if (object == ACCESSES_NO_OBJECT)
        return NULL;
    while (object - mem->program[at].first >= mem->program[at].objects)
        at++;
    return &mem->program[at];
}

const char *mem_object_name(const struct mem *mem, uint32_t object)
{
    const struct mem_program *program = mem_program_of(mem, object);

    return program != NULL ? program->name[object - program->first] : "(no symbol)";
}

static void free_program(struct mem_program *program)
{
    for (size_t i = 0; i < program->objects; i++)
        free(program->name[i]);
    free(program->name);
    free(program->place);
    fields_free(&program->fields);
}

void mem_free_data(struct mem *mem)
{
    for (size_t i = 0; i < mem->programs; i++)
        free_program(&mem->program[i]);
    free(mem->program);
}
