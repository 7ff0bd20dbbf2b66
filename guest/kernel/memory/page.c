/* Page tables of three levels (Sv39), and the objects that keep shared pages.
 * Source: Privileged Architecture 20240411, section 10.4. */
#include "memory/space.h"

enum { LEVELS = 3, INDEX_BITS = 9, ENTRIES = 512, PA_SHIFT = 10 };

static uint64_t *table_at(uint64_t entry)
{
    return at_pa(entry >> PA_SHIFT << 12);
}

uint64_t *page_entry(uint64_t root, uint64_t va, bool is_made)
{
    uint64_t *table = at_pa(root);
    int level;

    for (level = LEVELS - 1; level > 0; level--) {
        uint64_t *entry = &table[va >> (12 + INDEX_BITS * level) & (ENTRIES - 1)];

        if (*entry == 0) {
            uint64_t pa = is_made ? frame_new() : 0;

            if (pa == 0)
                return NULL;
            page_set(entry, pa >> 12 << PA_SHIFT | PTE_V);
        }
        table = table_at(*entry);
    }
    return &table[va >> 12 & (ENTRIES - 1)];
}

static void free_level(uint64_t *table, int level, unsigned entries)
{
    unsigned i;

    for (i = 0; i < entries; i++) {
        if (table[i] == 0)
            continue;
        if (level > 1)
            free_level(table_at(table[i]), level - 1, ENTRIES);
        frame_free(pa_of(table_at(table[i])));
    }
}

/* Tables of the lower half; its pages are gone already. */
void page_tables_free(uint64_t root)
{
    free_level(at_pa(root), LEVELS - 1, ENTRIES / 2);
    frame_free(root);
}

/* ---- objects --------------------------------------------------------------------------------- */

struct object *object_new(int64_t handle)
{
    struct object *object = memory_new(sizeof *object);
    uint64_t root = frame_new();

    if (object == NULL || root == 0) {
        if (object != NULL)
            memory_free(object, sizeof *object);
        if (root != 0)
            frame_free(root);
        if (handle > 0)
            host_simple(KERNEL_OP_CLOSE_HANDLE, (uint64_t)handle, 0, 0, 0);
        return NULL;
    }
    *object = (struct object){.root = root, .handle = handle};
    list_init(&object->link);
    return object;
}

struct object *object_of_file(int64_t handle)
{
    static struct list shared = {&shared, &shared};
    struct object *object;
    struct list *at;

    for (at = shared.next; at != &shared; at = at->next)
        if (container_of(at, struct object, link)->handle == handle)
            return container_of(at, struct object, link);
    object = object_new(handle);
    if (object != NULL)
        list_add(&shared, &object->link);
    return object;
}

static void free_pages(uint64_t *table, int level)
{
    unsigned i;

    for (i = 0; i < ENTRIES; i++) {
        if (table[i] == 0)
            continue;
        if (level > 0)
            free_pages(table_at(table[i]), level - 1);
        frame_free(table[i] >> PA_SHIFT << 12);
    }
}

void object_drop(struct object *object)
{
    if (object == NULL || --object->users > 0)
        return;
    list_remove(&object->link);
    free_pages(at_pa(object->root), LEVELS - 1);
    frame_free(object->root);
    if (object->handle > 0)
        host_simple(KERNEL_OP_CLOSE_HANDLE, (uint64_t)object->handle, 0, 0, 0);
    memory_free(object, sizeof *object);
}

/* Physical address of the page at an offset, read from the file at first; 0 and why not. */
uint64_t object_page(struct object *object, uint64_t offset, enum fault *fault)
{
    uint64_t *entry = page_entry(object->root, offset, true), pa;

    *fault = FAULT_MEMORY;
    if (entry == NULL)
        return 0;
    if (*entry != 0)
        return *entry >> PA_SHIFT << 12;
    pa = frame_new();
    if (pa == 0)
        return 0;
    if (object->handle > 0 && host_simple(KERNEL_OP_READ_PAGE, (uint64_t)object->handle, offset,
                                          pa, PAGE_BYTES) <= 0) {
        frame_free(pa);
        *fault = FAULT_BEYOND;
        return 0;
    }
    *entry = pa >> 12 << PA_SHIFT;
    return pa;
}

void object_write_back(struct object *object, uint64_t offset)
{
    uint64_t *entry = page_entry(object->root, offset, false);

    if (object->handle > 0 && entry != NULL && *entry != 0)
        host_simple(KERNEL_OP_WRITE_PAGE, (uint64_t)object->handle, offset,
                    *entry >> PA_SHIFT << 12, PAGE_BYTES);
}
