/* See idle_charge.h. One pass over records and changes in order of time tracks, for each hart
 * without a thread of the program, the wait to which it is charged, and the waits to which no hart
 * is charged. */
#include "prof/idle/idle_charge.h"

#include <stdlib.h>

#include "prof/idle/idle_waits.h"
#include "sim/base/array.h"

/* Part of an interval of a hart, charged to one wait; NULL: nothing is runnable. */
struct piece { uint64_t from, to; const struct idle_wait *wait; };

struct hart_now {
    struct idle_switch at;              /* the last change */
    uint32_t last;                      /* thread of the program that left last; 0: none */
    const struct idle_wait *wait;       /* wait to which it is charged while no such thread runs */
    uint64_t since;                     /* cycle from which `wait` holds */
    struct piece *piece;                /* since the last change */
    size_t pieces;
};

struct maker {
    struct idle_charge *charge;
    const struct idle_history *history; /* `ordered` */
    struct idle_history ordered;
    struct kernel_record *records;
    struct idle_waits waits;
    const struct idle_switch **change;  /* in order of time */
    struct hart_now *hart;
    const struct idle_wait **open;      /* waits to which no hart is charged, in order of time */
    size_t opens;
};

static bool is_free(const struct hart_now *hart)
{
    return hart->at.thread == 0 || idle_is_sampler(hart->at.thread);
}

/* ---- sums ------------------------------------------------------------------------------------ */

static bool add_row(struct maker *maker, const struct idle_row *add)
{
    struct idle_charge *charge = maker->charge;
    struct idle_row *grown;

    for (size_t i = charge->rows; i-- > 0;) {
        struct idle_row *row = &charge->row[i];

        if (row->reason == add->reason && row->value == add->value &&
            row->holder == add->holder) {
            row->cycles += add->cycles;
            row->holder_ran += add->holder_ran;
            return true;
        }
    }
    grown = array_grow(charge->row, charge->rows, sizeof *grown);
    if (grown == NULL)
        return false;
    charge->row = grown;
    charge->row[charge->rows++] = *add;
    return true;
}

/* The share of `whole` that belongs to the first `part` of `parts`. Low bits of long times are
 * dropped so that no product overflows. */
static uint64_t share(uint64_t whole, uint64_t part, uint64_t parts)
{
    for (; parts >> 31 != 0; parts >>= 1)
        part >>= 1;
    return parts == 0 ? 0 : whole / parts * part + whole % parts * part / parts;
}

/* An interval from start to end; `idle` of its cycles in WFI, of which `given` are charged. */
struct span { uint64_t start, end, idle, given; struct idle_hart *hart; unsigned number; };

static bool add_span(struct maker *maker, const struct idle_span *add)
{
    struct idle_charge *charge = maker->charge;
    struct idle_span *grown = array_grow(charge->span, charge->spans, sizeof *grown);

    if (grown == NULL)
        return false;
    charge->span = grown;
    charge->span[charge->spans++] = *add;
    return true;
}

/* The part of the span from `from` to `to`. */
static bool charge_part(struct maker *maker, struct span *span, uint64_t from, uint64_t to,
                        struct idle_row row)
{
    const struct idle_waits *waits = &maker->waits;
    uint64_t until = to == span->end ? span->idle : share(span->idle, to - span->start,
                                                          span->end - span->start);

    row.cycles = until - span->given;
    span->given = until;
    if (row.cycles == 0)
        return true;
    if (row.holder != 0)
        row.holder_ran = share(row.cycles, idle_run_until(waits, row.holder, to) -
                                               idle_run_until(waits, row.holder, from),
                               to - from);
    span->hart->cause[row.reason] += row.cycles;
    return add_row(maker, &row) &&
           add_span(maker, &(struct idle_span){from, to, row, span->number});
}

/* Charges a time in which a lock may pass from holder to holder. */
static bool charge_lock(struct maker *maker, struct span *span, const struct piece *piece)
{
    uint64_t from = piece->from;
    bool fits = true;

    while (from < piece->to && fits) {
        uint64_t end;
        uint32_t holder = idle_holder_at(&maker->waits, piece->wait->value, from, &end);

        if (end > piece->to)
            end = piece->to;
        fits = charge_part(maker, span, from, end, (struct idle_row){
            .reason = KERNEL_REASON_LOCK, .value = piece->wait->value, .holder = holder});
        from = end;
    }
    return fits;
}

static bool charge_piece(struct maker *maker, struct span *span, const struct piece *piece)
{
    if (piece->wait != NULL && piece->wait->reason == KERNEL_REASON_LOCK)
        return charge_lock(maker, span, piece);
    return charge_part(maker, span, piece->from, piece->to, (struct idle_row){
        .reason = piece->wait != NULL ? piece->wait->reason : KERNEL_REASON_NONE});
}

/* ---- which wait a hart is charged to --------------------------------------------------------- */

static bool end_piece(struct hart_now *hart, uint64_t cycle)
{
    struct piece *grown = array_grow(hart->piece, hart->pieces, sizeof *grown);

    if (grown == NULL)
        return false;
    hart->piece = grown;
    if (cycle < hart->since)
        cycle = hart->since;
    hart->piece[hart->pieces++] = (struct piece){hart->since, cycle, hart->wait};
    hart->since = cycle;
    return true;
}

static bool remove_open(struct maker *maker, const struct idle_wait *wait)
{
    size_t i = maker->opens;

    while (i > 0 && maker->open[i - 1] != wait)
        i--;
    if (i == 0)
        return false;
    for (maker->opens--; i <= maker->opens; i++)
        maker->open[i - 1] = maker->open[i];
    return true;
}

/* Free harts without a wait take open waits, the latest first. */
static bool give_open(struct maker *maker, uint64_t cycle)
{
    for (unsigned i = 0; i < maker->history->harts && maker->opens > 0; i++) {
        struct hart_now *hart = &maker->hart[i];

        if (!is_free(hart) || hart->wait != NULL)
            continue;
        if (!end_piece(hart, cycle))
            return false;
        hart->wait = maker->open[--maker->opens];
    }
    return true;
}

static bool end_wait(struct maker *maker, const struct idle_wait *wait, uint64_t cycle)
{
    remove_open(maker, wait);
    for (unsigned i = 0; i < maker->history->harts; i++) {
        struct hart_now *hart = &maker->hart[i];

        if (hart->wait != wait)
            continue;
        if (!end_piece(hart, cycle))
            return false;
        hart->wait = NULL;
    }
    return give_open(maker, cycle);
}

/* A thread of the program is scheduled: another hart may be charged to the wait. */
static void release(struct maker *maker, struct hart_now *hart)
{
    if (hart->wait != NULL)
        maker->open[maker->opens++] = hart->wait;
    hart->wait = NULL;
}

/* Takes the wait of the thread that left last, if it has not ended. */
static void claim(struct maker *maker, struct hart_now *hart, uint64_t cycle)
{
    const struct idle_wait *wait =
        hart->last != 0 ? idle_wait_at(&maker->waits, hart->last, cycle) : NULL;

    if (hart->wait == NULL && wait != NULL && remove_open(maker, wait))
        hart->wait = wait;
}

/* ---- the pass -------------------------------------------------------------------------------- */

static void add_cycles(struct idle_hart *hart, const struct idle_switch *from,
                       const struct idle_switch *to)
{
    uint64_t cycles = to->cycles - from->cycles, user = to->user - from->user;
    uint64_t idle = to->idle - from->idle, kernel = cycles - user - idle;

    hart->cycles += cycles;
    hart->running += user;
    hart->idle += idle;
    if (idle_is_sampler(from->thread))
        hart->sampling += kernel;
    else
        hart->kernel += kernel;
}

static bool close_interval(struct maker *maker, struct hart_now *hart,
                           const struct idle_switch *to)
{
    struct span span = {hart->at.cycles, to->cycles, to->idle - hart->at.idle, 0,
                        &maker->charge->hart[to->hart], to->hart};
    bool fits = end_piece(hart, to->cycles);

    add_cycles(span.hart, &hart->at, to);
    for (size_t i = 0; i < hart->pieces && fits && span.idle != 0; i++)
        fits = charge_piece(maker, &span, &hart->piece[i]);
    hart->pieces = 0;
    return fits;
}

static bool change_thread(struct maker *maker, const struct idle_switch *to)
{
    struct hart_now *hart = &maker->hart[to->hart];
    uint32_t from = hart->at.thread;
    bool was_free = is_free(hart);

    if (!close_interval(maker, hart, to))
        return false;
    hart->at = *to;
    if (!was_free) {
        const struct idle_wait *wait = idle_wait_at(&maker->waits, from, to->cycles);

        hart->last = from;
        if (wait != NULL && wait->end > to->cycles)
            maker->open[maker->opens++] = wait;
    }
    if (is_free(hart))
        claim(maker, hart, to->cycles);
    else
        release(maker, hart);
    return give_open(maker, to->cycles);
}

static bool see_record(struct maker *maker, const struct kernel_record *record)
{
    const struct idle_wait *wait;

    if (record->event != KERNEL_WAKE)
        return true;
    wait = idle_wait_at(&maker->waits, record->thread, record->cycle);
    return wait == NULL || wait->end != record->cycle || end_wait(maker, wait, record->cycle);
}

static bool pass(struct maker *maker)
{
    const struct idle_history *history = maker->history;
    size_t record = 0;
    bool fits = true;

    for (size_t i = 0; i < history->changes && fits; i++) {
        const struct idle_switch *change = maker->change[i];

        while (fits && record < history->records &&
               history->record[record].cycle <= change->cycles)
            fits = see_record(maker, &history->record[record++]);
        fits = fits && change_thread(maker, change);
    }
    return fits;
}

/* ---- the whole charge ------------------------------------------------------------------------ */

/* By time; switches at the same cycle keep their order. */
static int compare_changes(const void *a, const void *b)
{
    const struct idle_switch *const *x = a, *const *y = b;

    if ((*x)->cycles != (*y)->cycles)
        return (*x)->cycles > (*y)->cycles ? 1 : -1;
    return (*x > *y) - (*x < *y);
}

static int compare_rows(const void *a, const void *b)
{
    const struct idle_row *x = a, *y = b;

    if (x->cycles != y->cycles)
        return x->cycles > y->cycles ? -1 : 1;
    if (x->reason != y->reason)
        return x->reason > y->reason ? 1 : -1;
    if (x->value != y->value)
        return x->value > y->value ? 1 : -1;
    return (x->holder > y->holder) - (x->holder < y->holder);
}

static bool open_maker(struct maker *maker)
{
    const struct idle_history *history = maker->history;

    maker->change = malloc((history->changes + 1) * sizeof *maker->change);
    maker->hart = calloc(history->harts, sizeof *maker->hart);
    maker->open = malloc((history->records + history->harts + 1) * sizeof *maker->open);
    maker->charge->hart = calloc(history->harts, sizeof *maker->charge->hart);
    if (maker->change == NULL || maker->hart == NULL || maker->open == NULL ||
        maker->charge->hart == NULL)
        return false;
    for (size_t i = 0; i < history->changes; i++)
        maker->change[i] = &history->change[i];
    qsort(maker->change, history->changes, sizeof *maker->change, compare_changes);
    return true;
}

/* The records by time: one that a hart which is late made after another's gets that one's time. */
static bool place_records(struct maker *maker, const struct idle_history *history)
{
    struct kernel_record *record = malloc((history->records + 1) * sizeof *record);
    uint64_t time = 0;

    maker->records = record;
    maker->ordered = *history;
    maker->ordered.record = record;
    for (size_t i = 0; record != NULL && i < history->records; i++) {
        record[i] = history->record[i];
        time = record[i].cycle > time ? record[i].cycle : time;
        record[i].cycle = time;
    }
    return record != NULL;
}

static void close_maker(struct maker *maker)
{
    for (unsigned i = 0; i < maker->history->harts && maker->hart != NULL; i++)
        free(maker->hart[i].piece);
    free(maker->records);
    free(maker->change);
    free(maker->hart);
    free(maker->open);
    idle_waits_free(&maker->waits);
}

enum err idle_charge_make(struct idle_charge *charge, const struct idle_history *history,
                          struct diag *diag)
{
    struct maker maker = {.charge = charge};
    bool fits;

    *charge = (struct idle_charge){.harts = history->harts};
    maker.history = &maker.ordered;
    fits = place_records(&maker, history) && idle_waits_make(&maker.waits, &maker.ordered) &&
           open_maker(&maker) && pass(&maker);
    if (fits && charge->rows != 0)
        qsort(charge->row, charge->rows, sizeof *charge->row, compare_rows);
    close_maker(&maker);
    return fits ? ERR_OK : diag_no_memory(diag, "idle cycles");
}

void idle_charge_free(struct idle_charge *charge)
{
    free(charge->hart);
    free(charge->row);
    free(charge->span);
}
