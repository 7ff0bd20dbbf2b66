/* See idle_charge.h. One pass over the records, in the order in which they happened, tracks for
 * each hart without a thread of the program the wait to which it is charged, and the waits to which
 * no hart is charged. */
#include "prof/idle/idle_charge.h"

#include <stdlib.h>

#include "prof/idle/idle_waits.h"
#include "sim/base/array.h"

/* Part of an interval of a hart, charged to one wait; NULL: nothing is runnable. */
struct piece {
    uint64_t from, to;                  /* cycles */
    size_t after;                       /* it begins with this record */
    const struct idle_wait *wait;
};

struct hart_now {
    struct sched_change at;             /* counts at the last switch; cycles: of its record */
    uint32_t last;                      /* thread of the program that left last; 0: none */
    const struct idle_wait *wait;       /* wait to which it is charged while no such thread runs */
    uint64_t since;                     /* cycle from which `wait` holds */
    size_t after;                       /* ... and its record */
    struct piece *piece;                /* since the last switch */
    size_t pieces;
};

struct maker {
    struct idle_charge *charge;
    const struct sched_log *log;
    struct sched_places places;
    struct idle_waits waits;
    uint64_t *time;                     /* [records] latest cycle of the records up to this one */
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
            row->away += add->away;
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

__extension__ typedef unsigned __int128 wide;

/* The share of `whole` that belongs to the first `part` of `parts`, rounded down. */
static uint64_t share(uint64_t whole, uint64_t part, uint64_t parts)
{
    return parts == 0 ? 0 : (uint64_t)((wide)whole * part / parts);
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
    row.away = to - from;
    span->given = until;
    if (row.away == 0)
        return true;
    if (row.holder != 0)
        row.holder_ran = share(row.cycles, idle_run_until(waits, row.holder, to) -
                                               idle_run_until(waits, row.holder, from),
                               to - from);
    span->hart->cause[row.reason] += row.cycles;
    span->hart->away[row.reason] += row.away;
    return add_row(maker, &row) &&
           (row.cycles == 0 ||
            add_span(maker, &(struct idle_span){from, to, row, span->number}));
}

static uint64_t within(uint64_t cycle, uint64_t from, uint64_t to)
{
    return cycle < from ? from : cycle > to ? to : cycle;
}

/* Charges a time in which a lock may pass from holder to holder. */
static bool charge_lock(struct maker *maker, struct span *span, const struct piece *piece)
{
    uint64_t from = piece->from, to;
    size_t after = piece->after;
    bool fits = true;

    for (; from < piece->to && fits; from = to) {
        uint64_t address = piece->wait->value;
        uint32_t holder = idle_holder_at(&maker->waits, address, after, &after);

        to = after == SIZE_MAX ? piece->to : within(maker->time[after], from, piece->to);
        fits = charge_part(maker, span, from, to, (struct idle_row){
            .reason = KERNEL_REASON_LOCK, .value = address, .holder = holder});
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

/* The wait of the hart changes with a record, whose time is `cycle`. */
static bool end_piece(struct hart_now *hart, uint64_t cycle, size_t record)
{
    struct piece *grown = array_grow(hart->piece, hart->pieces, sizeof *grown);

    if (grown == NULL)
        return false;
    hart->piece = grown;
    if (cycle < hart->since)
        cycle = hart->since;
    hart->piece[hart->pieces++] = (struct piece){hart->since, cycle, hart->after, hart->wait};
    hart->since = cycle;
    hart->after = record;
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
static bool give_open(struct maker *maker, size_t record)
{
    for (unsigned i = 0; i < maker->log->harts && maker->opens > 0; i++) {
        struct hart_now *hart = &maker->hart[i];

        if (!is_free(hart) || hart->wait != NULL)
            continue;
        if (!end_piece(hart, maker->time[record], record))
            return false;
        hart->wait = maker->open[--maker->opens];
    }
    return true;
}

static bool end_wait(struct maker *maker, const struct idle_wait *wait, size_t record)
{
    remove_open(maker, wait);
    for (unsigned i = 0; i < maker->log->harts; i++) {
        struct hart_now *hart = &maker->hart[i];

        if (hart->wait != wait)
            continue;
        if (!end_piece(hart, maker->time[record], record))
            return false;
        hart->wait = NULL;
    }
    return give_open(maker, record);
}

/* A thread of the program is scheduled on the hart, which gives up its wait: another hart may be
 * charged to that. */
static void release(struct maker *maker, struct hart_now *hart)
{
    if (hart->wait != NULL)
        maker->open[maker->opens++] = hart->wait;
    hart->wait = NULL;
}

/* Takes the wait of the thread that left last, if it has not ended. */
static void claim(struct maker *maker, struct hart_now *hart, size_t record)
{
    const struct idle_wait *wait =
        hart->last != 0 ? idle_wait_at(&maker->waits, hart->last, record) : NULL;

    if (hart->wait == NULL && wait != NULL && remove_open(maker, wait))
        hart->wait = wait;
}

/* ---- the pass -------------------------------------------------------------------------------- */

/* The cycles in WFI within an interval of one thread, which belongs to the sums. */
static uint64_t add_cycles(struct idle_hart *hart, const struct sched_change *from,
                           const struct sched_change *to)
{
    uint64_t cycles = to->cycles - from->cycles, user = to->user - from->user;
    uint64_t idle = to->idle - from->idle, kernel = cycles - user - idle;

    hart->cycles += cycles;
    hart->running += user;
    hart->idle += idle;
    if (from->thread == 0)
        hart->path += kernel;
    else if (idle_is_sampler(from->thread))
        hart->sampling += kernel;
    else
        hart->kernel += kernel;
    return idle;
}

/* Pieces are cut to the interval: their times may come from other harts' records, and this hart's
 * clock may be behind those. */
static bool charge_pieces(struct maker *maker, struct hart_now *hart, struct span *span)
{
    bool fits = true;

    for (size_t i = 0; i < hart->pieces && fits; i++) {
        struct piece piece = hart->piece[i];

        piece.from = within(piece.from, span->start, span->end);
        piece.to = within(piece.to, span->start, span->end);
        fits = charge_piece(maker, span, &piece);
    }
    return fits;
}

/* A thread of the program executed WFI itself: the kernel knows no cause, so the last cycles of the
 * span are charged to "nothing runnable". */
static bool charge_thread(struct maker *maker, struct span *span)
{
    span->start = span->end - span->idle;
    return charge_part(maker, span, span->start, span->end,
                       (struct idle_row){.reason = KERNEL_REASON_NONE});
}

/* to: the counts of a hart at a switch or at the end of the run. */
static bool close_interval(struct maker *maker, struct hart_now *hart,
                           const struct sched_change *to, size_t record)
{
    struct idle_hart *sums = &maker->charge->hart[to->hart];
    uint64_t idle = add_cycles(sums, &hart->at, to);
    struct span span = {hart->at.cycles, to->cycles, idle, 0, sums, to->hart};
    bool fits = end_piece(hart, to->cycles, record);

    if (fits)
        hart->piece[hart->pieces - 1].to = to->cycles;
    if (fits && hart->at.thread == 0)
        fits = charge_pieces(maker, hart, &span);
    else if (fits && idle != 0)
        fits = charge_thread(maker, &span);
    hart->pieces = 0;
    hart->since = to->cycles;
    return fits;
}

static bool switch_threads(struct maker *maker, size_t number)
{
    const struct kernel_record *record = &maker->log->record[number];
    struct hart_now *hart = &maker->hart[record->hart];
    struct sched_change to = *sched_log_at(&maker->places, record->hart, record->cycle);
    uint32_t from = hart->at.thread;
    bool was_free = is_free(hart);

    to.cycles = record->cycle;
    to.thread = record->other;
    if (!close_interval(maker, hart, &to, number))
        return false;
    hart->at = to;
    if (!was_free) {
        const struct idle_wait *wait = idle_wait_at(&maker->waits, from, number);

        hart->last = from;
        if (wait != NULL && wait->end > number)
            maker->open[maker->opens++] = wait;
    }
    if (is_free(hart))
        claim(maker, hart, number);
    else
        release(maker, hart);
    return give_open(maker, number);
}

static bool see_record(struct maker *maker, size_t number)
{
    const struct kernel_record *record = &maker->log->record[number];
    const struct idle_wait *wait;

    if (record->event == KERNEL_SWITCH)
        return switch_threads(maker, number);
    if (record->event != KERNEL_WAKE)
        return true;
    wait = idle_wait_at(&maker->waits, record->thread, number);
    return wait == NULL || wait->end != number || end_wait(maker, wait, number);
}

static bool pass(struct maker *maker)
{
    const struct sched_log *log = maker->log;
    bool fits = true;

    for (size_t i = 0; i < log->records && fits; i++)
        fits = log->record[i].hart >= log->harts || see_record(maker, i);
    for (unsigned i = 0; i < log->harts && fits; i++)
        fits = close_interval(maker, &maker->hart[i],
                              maker->places.change[maker->places.last[i]], log->records);
    return fits;
}

/* ---- the whole charge ------------------------------------------------------------------------ */

static int compare_rows(const void *a, const void *b)
{
    const struct idle_row *x = a, *y = b;

    if (x->away != y->away)
        return x->away > y->away ? -1 : 1;
    if (x->reason != y->reason)
        return x->reason > y->reason ? 1 : -1;
    if (x->value != y->value)
        return x->value > y->value ? 1 : -1;
    return (x->holder > y->holder) - (x->holder < y->holder);
}

static void order_time(struct maker *maker)
{
    const struct sched_log *log = maker->log;
    uint64_t time = 0;

    for (size_t i = 0; i < log->records; i++) {
        if (log->record[i].cycle > time)
            time = log->record[i].cycle;
        maker->time[i] = time;
    }
}

static bool open_maker(struct maker *maker)
{
    const struct sched_log *log = maker->log;

    maker->time = malloc((log->records + 1) * sizeof *maker->time);
    maker->hart = calloc(log->harts, sizeof *maker->hart);
    maker->open = malloc((log->records + log->harts + 1) * sizeof *maker->open);
    maker->charge->hart = calloc(log->harts, sizeof *maker->charge->hart);
    if (maker->time == NULL || maker->hart == NULL || maker->open == NULL ||
        maker->charge->hart == NULL)
        return false;
    order_time(maker);
    for (unsigned i = 0; i < log->harts; i++) {
        maker->hart[i].at = *maker->places.change[maker->places.first[i]];
        maker->hart[i].since = maker->hart[i].at.cycles;
    }
    return true;
}

static void close_maker(struct maker *maker)
{
    for (unsigned i = 0; i < maker->log->harts && maker->hart != NULL; i++)
        free(maker->hart[i].piece);
    sched_places_free(&maker->places);
    free(maker->time);
    free(maker->hart);
    free(maker->open);
    idle_waits_free(&maker->waits);
}

enum err idle_charge_make(struct idle_charge *charge, const struct sched_log *log,
                          struct diag *diag)
{
    struct maker maker = {.charge = charge, .log = log};
    bool fits;

    *charge = (struct idle_charge){.harts = log->harts};
    fits = sched_places_make(&maker.places, log) &&
           idle_waits_make(&maker.waits, log, &maker.places) && open_maker(&maker) &&
           pass(&maker);
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
