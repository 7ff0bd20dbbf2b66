/* Any bytes as a .meta file: read, built into perfinst segments, looked up by the shadow cache. */
#include <stdlib.h>
#include <string.h>

#include "shadowcache/perfinst.h"
#include "shadowcache/shadow.h"
#include "tests/shadowcache/fake_program.h"

enum { RAM_BYTES = 1 << 18, TABLES = 0x20000, INPUT_MAX = 1 << 14 };

#define BASE UINT64_C(0x80000000)

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

static bool is_inside(const struct meta_mark *mark)
{
    uint64_t start = mark->is_code ? TEXT : DATA, size = mark->is_code ? TEXT_BYTES : DATA_BYTES;
    uint64_t offset = mark->address - start;

    return offset < size && mark->bytes <= size - offset;
}

/* Marks inside the program at physical addresses, as a profiler places them. */
static struct perfinst_mark *translate(const struct meta *meta, size_t *count)
{
    struct perfinst_mark *mark = calloc(meta->marks + 1, sizeof *mark);

    *count = 0;
    for (size_t i = 0; mark != NULL && i < meta->marks; i++)
        if (is_inside(&meta->mark[i]))
            mark[(*count)++] = (struct perfinst_mark){.va = meta->mark[i].address,
                                                      .pa = meta->mark[i].address - TEXT + BASE,
                                                      .bytes = meta->mark[i].bytes,
                                                      .is_code = meta->mark[i].is_code,
                                                      .origin = &meta->mark[i]};
    return mark;
}

/* Every site must be found again where the builder said. */
static void check(const struct perfinst *perfinst, uint8_t *ram, uint32_t line_bytes)
{
    const struct shadow_memory memory = {.ram = ram, .base = BASE, .bytes = RAM_BYTES};
    uint64_t segment[PROF_SEGMENTS][4] = {{0}};
    struct shadow *text = shadow_new(memory, 2, line_bytes, PROF_SEGMENT_TEXT);
    struct shadow *data = shadow_new(memory, 2, line_bytes, PROF_SEGMENT_DATA);
    struct mark mark;

    for (unsigned i = 0; i < perfinst->segments; i++) {
        segment[i][0] = perfinst->segment[i].start;
        segment[i][1] = perfinst->segment[i].bytes;
        segment[i][2] = perfinst->segment[i].table;
        segment[i][3] = perfinst->segment[i].kind;
    }
    shadow_set_segments(text, (const uint64_t(*)[4])segment);
    shadow_set_segments(data, (const uint64_t(*)[4])segment);
    for (size_t i = 0; i < perfinst->sites; i++) {
        const struct perfinst_site *site = &perfinst->site[i];
        if (!shadow_mark(site->is_code ? text : data, SHADOW_NO_FRAME, site->pa, &mark) ||
            mark.item_pa != site->item || mark.flags != site->action.flags)
            abort();
    }
    shadow_free(text);
    shadow_free(data);
}

static void build(struct meta *meta, uint32_t line_bytes)
{
    const struct perfinst_shape shape = {
        .iline_bytes = line_bytes, .dline_bytes = line_bytes, .granule_bytes = 4};
    struct perfinst perfinst = {.segments = 2};
    size_t marks;
    struct perfinst_mark *mark = translate(meta, &marks);
    uint8_t *ram = calloc(1, RAM_BYTES);

    perfinst.segment[0] = (struct perfinst_segment){
        .start = BASE, .bytes = TEXT_BYTES, .kind = PROF_SEGMENT_TEXT};
    perfinst.segment[1] = (struct perfinst_segment){
        .start = BASE + DATA - TEXT, .bytes = DATA_BYTES, .kind = PROF_SEGMENT_DATA};
    if (perfinst_build(&perfinst, &shape, mark, marks, meta, NULL) == ERR_OK) {
        perfinst_place(&perfinst, BASE + TABLES);
        if (perfinst.bytes > RAM_BYTES - TABLES)
            abort();
        memcpy(ram + TABLES, perfinst.image, perfinst.bytes);
        check(&perfinst, ram, line_bytes);
    }
    perfinst_free(&perfinst);
    free(mark);
    free(ram);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    struct meta meta = {0};
    struct diag diag = {0};

    if (count > INPUT_MAX)
        return 0;
    if (meta_read(&meta, (const char *)bytes, count, "fuzz.meta", &fake_resolver, &diag) ==
        ERR_OK) {
        build(&meta, 64);
        build(&meta, 8);
    } else if (strncmp(diag.text, "fuzz.meta:", 10) != 0) {
        abort();
    }
    meta_free(&meta);
    return 0;
}
