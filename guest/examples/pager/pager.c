/* A pager under memory pressure, on the bare machine: a program of 16 virtual pages runs in user
 * mode on 5 page frames. When a page goes out, its metadata, counters included, goes with it, and
 * comes back with it, into whatever frame is free then: every count is still exact.
 *
 * Beside every page frame lies a frame of metadata, the blocks of its lines. The translation tables
 * describe the frames, so what is in memory decides which lines are marked. The program counts
 * itself how often it touches what is marked, and calls the marked functions; its ledger is paged
 * like everything else. The pager switches the profiling hardware off while it works: a copy of a
 * marked page would be counted too. */
#include "rvsim/htif.h"
#include "rvsim/metadata.h"

enum {
    PAGE_BYTES = 4096, FRAMES = 5, PAGES = 16, ROUNDS = 200,
    FIRST_CODE_PAGE = 0, SECOND_CODE_PAGE = 1, STACK_PAGE = 2, LEDGER_PAGE = 3, DATA_PAGE = 4,
    DATA_PAGES = PAGES - DATA_PAGE, MARKED_WORDS = 2, FIRST_WORD = 0, SECOND_WORD = 300,
    LINES_MAX = PAGE_BYTES / 16, DATA_GRANULE_LOG2 = 3, CODE_GRANULE_LOG2 = 1,
    TEXT_SEGMENT = PROF_SEGMENTS - 2, DATA_SEGMENT = PROF_SEGMENTS - 1,
};
enum { CAUSE_ECALL_U = 8, CAUSE_FETCH = 12, CAUSE_LOAD = 13, CAUSE_STORE = 15 };
enum { PTE_VALID = 1, PTE_ALL = 0xdf };     /* read, write, execute, user, accessed, dirty */

#define PROGRAM_BASE 0x40000000ul
#define SATP_SV39 (8ul << 60)

struct page { unsigned long word[PAGE_BYTES / sizeof(unsigned long)]; };

/* The marked lines of a page: where in `blocks` the block of each line lies, -1: none. */
struct metadata {
    short offset[LINES_MAX];
    char blocks[PAGE_BYTES - LINES_MAX * sizeof(short)];
};

struct ledger {
    unsigned long accesses[DATA_PAGES][MARKED_WORDS];
    unsigned long first_calls, second_calls;
};

volatile unsigned long tohost __attribute__((section(".tohost")));
volatile unsigned long fromhost __attribute__((section(".tohost")));

extern char program_image[], program_begin[], program_second[], program_end[];
void run_program(void (*entry)(void), unsigned long stack);
void finish(unsigned long status) __attribute__((noreturn));

static _Alignas(PAGE_BYTES) unsigned long root[512], middle[512], leaf[512];
static _Alignas(PAGE_BYTES) struct page frame[FRAMES], store[PAGES];
static _Alignas(PAGE_BYTES) struct metadata frame_metadata[FRAMES], store_metadata[PAGES];
static unsigned long long text_table[FRAMES * LINES_MAX], data_table[FRAMES * LINES_MAX];
static int page_in_frame[FRAMES];       /* -1: none */
static unsigned next_frame;             /* goes out next: first in, first out */
static unsigned long page_ins, page_outs;

/* ---- the program ----------------------------------------------------------------------------- */

#define PROGRAM(page) __attribute__((noinline, section(".program." page)))

PROGRAM("first") void first_function(unsigned long *x)
{
    *x += 1;
}

PROGRAM("second") void second_function(unsigned long *x)
{
    *x ^= *x >> 7;
}

PROGRAM("first") void program(void)
{
    struct page *page = (struct page *)PROGRAM_BASE;
    struct ledger *ledger = (struct ledger *)&page[LEDGER_PAGE];
    unsigned long state = 1;

    for (unsigned round = 0; round < ROUNDS; round++) {
        unsigned long which, at;
        state = (state * 1664525 + 1013904223) & 0xffffffff;
        which = state >> 20 & 1;
        at = (state >> 8) % DATA_PAGES;
        __atomic_fetch_add(&page[DATA_PAGE + at].word[which != 0 ? SECOND_WORD : FIRST_WORD], 1,
                           __ATOMIC_RELAXED);
        ledger->accesses[at][which]++;
        if ((state >> 24 & 1) != 0) {
            ledger->first_calls++;
            first_function(&state);
        } else {
            ledger->second_calls++;
            second_function(&state);
        }
    }
    __asm__ volatile("ecall");
}

/* ---- the pager ------------------------------------------------------------------------------- */

static void copy(void *to, const void *from, unsigned long bytes)
{
    unsigned long *into = to;
    const unsigned long *out_of = from;

    for (unsigned long i = 0; i < bytes / sizeof *into; i++)
        into[i] = out_of[i];
}

static int is_code(unsigned page)
{
    return page == FIRST_CODE_PAGE || page == SECOND_CODE_PAGE;
}

/* The frame's lines get the blocks that lie beside it, or none. */
static void set_table(unsigned long long *table, unsigned long line_bytes, unsigned where,
                      int has_marks)
{
    unsigned lines = (unsigned)(PAGE_BYTES / line_bytes);
    struct metadata *metadata = &frame_metadata[where];

    for (unsigned i = 0; i < lines; i++) {
        int at = metadata->offset[i];
        table[where * lines + i] = has_marks && at >= 0 ? (unsigned long)&metadata->blocks[at] : 0;
    }
}

static void page_out(unsigned where)
{
    int page = page_in_frame[where];

    if (page < 0)
        return;
    prof_sync();                        /* counters that are in the processor */
    copy(&store[page], &frame[where], sizeof store[page]);
    copy(&store_metadata[page], &frame_metadata[where], sizeof store_metadata[page]);
    leaf[page] = 0;
    __asm__ volatile("sfence.vma" : : : "memory");
    page_in_frame[where] = -1;
    page_outs++;
}

static void page_in(unsigned page)
{
    unsigned where = next_frame;

    next_frame = (next_frame + 1) % FRAMES;
    page_out(where);
    copy(&frame[where], &store[page], sizeof frame[where]);
    copy(&frame_metadata[where], &store_metadata[page], sizeof frame_metadata[where]);
    set_table(text_table, prof_iline_bytes(), where, is_code(page));
    set_table(data_table, prof_dline_bytes(), where, !is_code(page));
    prof_sync();                        /* lines of the frame may still be in the caches */
    leaf[page] = (unsigned long)&frame[where] >> 12 << 10 | PTE_ALL;
    __asm__ volatile("sfence.vma\n\tfence.i" : : : "memory");
    page_in_frame[where] = (int)page;
    page_ins++;
}

/* A counter for an address of the page that is out. The line's block is the next one. */
static void mark(unsigned page, const void *address, unsigned long line_bytes,
                 unsigned granule_log2)
{
    struct metadata *metadata = &store_metadata[page];
    unsigned long bytes = prof_block_bytes(line_bytes, granule_log2), used = 0;
    unsigned line = (unsigned)((unsigned long)address % PAGE_BYTES / line_bytes);
    struct perfinst_block *block;

    for (unsigned i = 0; i < LINES_MAX; i++)
        used += metadata->offset[i] >= 0 ? bytes : 0;
    if (used + bytes > sizeof metadata->blocks || line >= LINES_MAX)
        finish(2);
    metadata->offset[line] = (short)used;
    block = (struct perfinst_block *)(void *)&metadata->blocks[used];
    prof_block_clear(block, line_bytes, granule_log2);
    prof_block_item(block, (unsigned long)address)->flags = MARK_COUNTER;
}

static unsigned long long count_of(unsigned page, const void *address, unsigned long line_bytes)
{
    struct metadata *metadata = &store_metadata[page];
    unsigned line = (unsigned)((unsigned long)address % PAGE_BYTES / line_bytes);
    struct perfinst_block *block =
        (struct perfinst_block *)(void *)&metadata->blocks[metadata->offset[line]];

    return prof_block_item(block, (unsigned long)address)->count;
}

static void set_up(void)
{
    for (unsigned i = 0; i < FRAMES; i++)
        page_in_frame[i] = -1;
    for (unsigned i = 0; i < PAGES; i++)
        for (unsigned line = 0; line < LINES_MAX; line++)
            store_metadata[i].offset[line] = -1;
    copy(store, program_image, (unsigned long)(program_end - program_begin));
    mark(FIRST_CODE_PAGE, (const void *)first_function, prof_iline_bytes(), CODE_GRANULE_LOG2);
    mark(SECOND_CODE_PAGE, (const void *)second_function, prof_iline_bytes(), CODE_GRANULE_LOG2);
    for (unsigned i = DATA_PAGE; i < PAGES; i++) {
        mark(i, &store[i].word[FIRST_WORD], prof_dline_bytes(), DATA_GRANULE_LOG2);
        mark(i, &store[i].word[SECOND_WORD], prof_dline_bytes(), DATA_GRANULE_LOG2);
    }
    prof_set_segment(TEXT_SEGMENT, PROF_SEGMENT_TEXT, frame, sizeof frame, text_table);
    prof_set_segment(DATA_SEGMENT, PROF_SEGMENT_DATA, frame, sizeof frame, data_table);
    root[PROGRAM_BASE >> 30] = (unsigned long)middle >> 12 << 10 | PTE_VALID;
    middle[0] = (unsigned long)leaf >> 12 << 10 | PTE_VALID;
    __asm__ volatile("csrw satp, %0" : : "r"(SATP_SV39 | (unsigned long)root >> 12));
}

/* Counts that differ from the ledger. */
static unsigned long differences(void)
{
    const struct ledger *ledger = (const struct ledger *)&store[LEDGER_PAGE];
    unsigned long line = prof_dline_bytes(), wrong = 0;

    for (unsigned i = 0; i < DATA_PAGES; i++) {
        const struct page *page = &store[DATA_PAGE + i];
        wrong += count_of(DATA_PAGE + i, &page->word[FIRST_WORD], line) != ledger->accesses[i][0];
        wrong += count_of(DATA_PAGE + i, &page->word[SECOND_WORD], line) != ledger->accesses[i][1];
    }
    line = prof_iline_bytes();
    wrong += count_of(FIRST_CODE_PAGE, (const void *)first_function, line) != ledger->first_calls;
    wrong += count_of(SECOND_CODE_PAGE, (const void *)second_function, line) !=
             ledger->second_calls;
    return wrong;
}

static void end(void)
{
    const struct ledger *ledger = (const struct ledger *)&store[LEDGER_PAGE];
    unsigned long wrong;

    for (unsigned i = 0; i < FRAMES; i++)
        page_out(i);
    wrong = differences();
    htif_print_number("pages in ", page_ins);
    htif_print_number("pages out ", page_outs);
    htif_print_number("calls of first_function ", ledger->first_calls);
    htif_print_number("calls of second_function ", ledger->second_calls);
    htif_print_number("counts that are wrong ", wrong);
    finish(wrong != 0);
}

/* Called from the vector with the program's registers kept. */
void handle_trap(unsigned long cause, unsigned long address)
{
    unsigned long page = (address - PROGRAM_BASE) / PAGE_BYTES;

    prof_set_mode(0);
    if (cause == CAUSE_ECALL_U)
        end();
    if ((cause != CAUSE_FETCH && cause != CAUSE_LOAD && cause != CAUSE_STORE) || page >= PAGES)
        finish(3);
    page_in((unsigned)page);
    prof_set_mode(PROF_MODE_ENABLE);
}

int main(void)
{
    set_up();
    prof_set_mode(PROF_MODE_ENABLE);
    run_program(program, PROGRAM_BASE + (STACK_PAGE + 1) * PAGE_BYTES);
    return 0;
}
