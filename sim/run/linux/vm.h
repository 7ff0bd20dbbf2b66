/* The address space of a user program: regions, demand paging, and copies to and from user memory.
 *
 * A region describes a range of addresses; its pages appear in the page tables when first touched.
 * Regions are sorted, disjoint and page-aligned; neighbours that differ in nothing are one. A
 * region made by vm_load has all its pages from the start, at the caller's addresses, and keeps
 * them. Writable private memory is committed: a mapping is refused if there are not enough pages,
 * so that a program sees ENOMEM instead of being killed. Reserved (VM_RESERVE) memory is not
 * counted. */
#ifndef SIM_RUN_VM_H
#define SIM_RUN_VM_H

#include "sim/run/linux/vm_table.h"

/* User addresses: below 2^38, and not the first page. */
#define VM_USER_END (UINT64_C(1) << 38)
#define VM_USER_START UINT64_C(0x1000)

enum {
    VM_SHARED = 1,      /* written back to its file by vm_sync, vm_unmap, vm_free */
    VM_RESERVE = 2,     /* not counted as committed */
    VM_LOADED = 4,      /* made by vm_load */
};

/* A file mapped by one or more regions; the last region closes the descriptor. */
struct vm_file {
    int fd;
    unsigned users;
};

struct vm_region {
    uint64_t start, end;
    unsigned prot, flags;
    struct vm_file *file;       /* NULL: zero-filled */
    uint64_t offset;            /* in the file, of start */
};

struct vm {
    struct vm_table table;
    struct vm_region *regions;
    size_t region_count;
    uint64_t pages;             /* pages that may be committed */
    uint64_t map_end;           /* mappings are placed downwards from this address */
    bool changed;               /* a valid translation changed or was removed; cleared by the
                                 * caller */
    /* A guest kernel owns the tables: table.root_pa is its root for the call being served, and only
     * the kernel makes pages. Regions are not used. */
    bool is_guest;
    bool has_fault;             /* a page was missing: its address, and the access */
    uint64_t fault_va, fault_bytes;
    unsigned fault_prot;
    uint64_t bad_va;            /* address that the kernel found inaccessible; 0: none */
};

enum vm_fault { VM_OK, VM_NO_REGION, VM_FORBIDDEN, VM_BEYOND_FILE, VM_NO_PAGE };

/* Takes pages from [first_pa, end_pa). False: too little memory. */
bool vm_init(struct vm *vm, struct phys *phys, uint64_t first_pa, uint64_t end_pa,
             uint64_t map_end);
void vm_free(struct vm *vm);
uint64_t vm_satp(const struct vm *vm);
/* Drops one reference; NULL is allowed. */
void vm_file_drop(struct vm_file *file);

/* The region that contains va, or NULL. */
const struct vm_region *vm_region_at(const struct vm *vm, uint64_t va);
/* True if [va, va + bytes) is page-aligned, not empty, and within user addresses. */
bool vm_is_range(uint64_t va, uint64_t bytes);
/* True if any region overlaps the range. */
bool vm_is_used(const struct vm *vm, uint64_t va, uint64_t bytes);
/* The highest free place below map_end, or 0. */
uint64_t vm_find_gap(const struct vm *vm, uint64_t bytes);

/* Functions that return int return 0 or a negative error number (ENOMEM, EINVAL). They accept the
 * ranges of vm_is_range. */
/* Replaces existing mappings. A file's user count grows by the regions that use it. */
int vm_map(struct vm *vm, const struct vm_region *region);
int vm_unmap(struct vm *vm, uint64_t va, uint64_t bytes);
int vm_protect(struct vm *vm, uint64_t va, uint64_t bytes, unsigned prot);
/* Moves the pages and the region of [from, from + bytes), one region, to free addresses. */
int vm_move(struct vm *vm, uint64_t from, uint64_t to, uint64_t bytes);
/* Drops the contents (MADV_DONTNEED): zeros, or the file's contents again. Pages of vm_load stay as
 * they are. */
int vm_discard(struct vm *vm, uint64_t va, uint64_t bytes);
/* Writes shared pages back to the file. */
void vm_sync(struct vm *vm, uint64_t va, uint64_t bytes);

/* Maps [va, va + bytes), not aligned, to physical pages starting with that of pa; va and pa have
 * the same page offset. A first page that is mapped already (two segments in one page) must have
 * the same physical address, and gets the rights of both. */
int vm_load(struct vm *vm, uint64_t va, uint64_t bytes, unsigned prot, uint64_t pa);

/* vm_touch makes the page at va present for an access that needs `prot` (VM_READ, WRITE or EXEC).
 * vm_translate returns false if va has no page. */
enum vm_fault vm_touch(struct vm *vm, uint64_t va, unsigned prot);
bool vm_translate(const struct vm *vm, uint64_t va, uint64_t *pa);

/* User memory as the kernel sees it: with the program's rights, pages appearing as needed. False:
 * bad address; bytes before it were transferred. */
bool vm_read(struct vm *vm, uint64_t va, void *to, uint64_t bytes);
bool vm_write(struct vm *vm, uint64_t va, const void *from, uint64_t bytes);
/* For a guest kernel's memory: true if a call may have effects, because all of [va, va + bytes) is
 * present, or present up to a bad address. False: has_fault, and the address to make present;
 * return -EFAULT. */
bool vm_prepare(struct vm *vm, uint64_t va, uint64_t bytes, unsigned prot);
/* The number of the `bytes` at va that the program may access with `prot`, up to the first bad
 * page. */
uint64_t vm_accessible(struct vm *vm, uint64_t va, uint64_t bytes, unsigned prot);
/* Copies a string into text[size]; returns its length, or -EFAULT, or -ENAMETOOLONG. */
int vm_read_string(struct vm *vm, uint64_t va, char *text, size_t size);

#endif
