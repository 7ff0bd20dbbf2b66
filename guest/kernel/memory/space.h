/* An address space: regions say what may be where, pages appear at the first touch.
 *
 * Pages are private (copied when written while shared) unless their region is; a shared region's
 * pages are kept by an object, where every space that maps it finds them. */
#ifndef GUEST_KERNEL_MEMORY_SPACE_H
#define GUEST_KERNEL_MEMORY_SPACE_H

#include "kernel.h"

enum { PROT_READ = 1, PROT_WRITE = 2, PROT_EXEC = 4, PROT_ALL = 7 };
/* STACK: the first thread's, of a size set before; GROWS: it grows down to what is touched below;
 * READ_ONLY: of a file that was opened so: it will not be written; IMAGE: of the program that the
 * machine has loaded, without an object. */
enum { REGION_SHARED = 1, REGION_RESERVE = 2, REGION_STACK = 4, REGION_GROWS = 8,
       REGION_READ_ONLY = 16, REGION_IMAGE = 32 };
enum { PTE_V = 1, PTE_R = 2, PTE_W = 4, PTE_X = 8, PTE_U = 16, PTE_A = 64, PTE_D = 128 };
#define USER_END (UINT64_C(1) << 38)
#define USER_START UINT64_C(0x1000)
#define STACK_TOP UINT64_C(0x3fffff0000)
#define STACK_SPACE (UINT64_C(8) << 20)
#define MAP_END (STACK_TOP - STACK_SPACE - (UINT64_C(1) << 20))
#define TRAMPOLINE (STACK_TOP + PAGE_BYTES)
#define PROGRAM_UNKNOWN UINT32_MAX     /* of a space for a program that is still to be executed */

/* Pages by offset, for shared mappings and for files; a page table serves as the index. The shared
 * mappings of a file have one object: the host gives them one handle. */
struct object { struct list link; uint32_t users; uint64_t root; int64_t handle; };

struct region {
    struct list link;                   /* by address */
    uint64_t start, end, offset;        /* offset: of start, in the object or image */
    uint32_t prot, flags;
    struct object *object;              /* NULL: zeros */
    struct region *left, *right;        /* region.c */
    uint64_t gap, largest;
    uint32_t rank;
};

struct space {
    uint32_t users;
    uint64_t root;                      /* physical address of the root table */
    struct list regions;
    struct region *tree;
    struct region *last;                /* found last, or NULL */
    uint64_t brk_start, brk;
    uint64_t stack_limit;               /* bytes below STACK_TOP that the stack may have */
    uint64_t vector;                    /* the program's auxiliary vector */
    uint64_t args_va, args_end;         /* its arguments, each with its 0 */
    uint32_t program;                   /* the host's number of the program in it */
};

struct space *space_new(void);                      /* NULL: no memory */
struct space *space_of_image(void);                 /* over the loader's tables; the same */
struct space *space_clone(struct space *space);
void space_drop(struct space *space);
void space_use(struct space *space);                /* satp; NULL: the kernel's own */
void space_set_program(struct space *space, uint32_t program);

/* 0 or -errno. Ranges are whole pages in user addresses. */
bool space_is_range(uint64_t va, uint64_t bytes);
bool space_is_mapped(struct space *space, uint64_t va, uint64_t bytes);     /* all of it */
int space_map(struct space *space, const struct region *region);    /* the object gains a user */
int space_unmap(struct space *space, uint64_t va, uint64_t bytes);
int space_protect(struct space *space, uint64_t va, uint64_t bytes, uint32_t prot);
int space_discard(struct space *space, uint64_t va, uint64_t bytes);
int space_move(struct space *space, uint64_t from, uint64_t to, uint64_t bytes);
/* The first entry from *va on that has a page; *va is moved to it. NULL: none below `end`. */
uint64_t *space_next_page(const struct space *space, uint64_t *va, uint64_t end);
void space_sync(struct space *space, uint64_t va, uint64_t bytes);
/* A region whose pages are in the tables already; flags: REGION_IMAGE or 0. */
int space_load(struct space *space, const struct kernel_segment *segment, uint32_t flags);

/* ---- region.c -------------------------------------------------------------------------------- */
struct region *space_region(struct space *space, uint64_t va);
struct region *space_next(struct space *space, uint64_t va);    /* the first that ends above va */
bool space_is_used(struct space *space, uint64_t va, uint64_t bytes);
uint64_t space_gap(struct space *space, uint64_t bytes);            /* 0: none */
void region_add(struct space *space, struct region *region);        /* into a free place */
void region_remove(struct space *space, struct region *region);
/* The region that grows down to the page of va, and has done so; NULL: none. */
struct region *region_grown(struct space *space, uint64_t va);

/* ---- fault.c --------------------------------------------------------------------------------- */
enum fault { FAULT_NONE, FAULT_UNMAPPED, FAULT_FORBIDDEN, FAULT_BEYOND, FAULT_MEMORY };
enum fault space_fault(struct space *space, uint64_t va, uint32_t prot);
/* A page-table entry with these rights; PROT_NONE keeps the page in an entry that is not valid. */
uint64_t page_bits(uint64_t pa, uint32_t prot);
/* Puts two bytes into a private page of code that is mapped, for this space alone. */
bool space_patch(struct space *space, uint64_t va, uint16_t code);
/* With boot->follows_pages: tells the host that the page at pa is about to be that of va. */
void page_follow(const struct space *space, uint32_t flags, uint64_t va, uint64_t pa);
/* The page's address in the kernel's map, made present; NULL: bad address. */
void *user_page(struct space *space, uint64_t va, uint32_t prot);
bool user_read(uint64_t va, void *to, uint64_t bytes);      /* of the thread that runs */
bool user_write(uint64_t va, const void *from, uint64_t bytes);
bool user_write_in(struct space *space, uint64_t va, const void *from, uint64_t bytes);
/* Length, or -EFAULT, -ERANGE. */
int64_t user_string(uint64_t va, char *text, uint64_t size);

/* ---- page.c ---------------------------------------------------------------------------------- */
uint64_t *page_entry(uint64_t root, uint64_t va, bool is_made);     /* NULL: none */
/* Harts walk the tables without the lock: what the entry leads to is there before the entry is. */
static inline void page_set(uint64_t *entry, uint64_t value)
{
    __atomic_store_n(entry, value, __ATOMIC_RELEASE);
}
void page_tables_free(uint64_t root);

struct object *object_new(int64_t handle);      /* NULL: no memory, and the handle is closed */
struct object *object_of_file(int64_t handle);  /* the same, of shared mappings */
void object_drop(struct object *object);
uint64_t object_page(struct object *object, uint64_t offset, enum fault *fault);
void object_write_back(struct object *object, uint64_t offset);

#endif
