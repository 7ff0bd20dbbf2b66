/* The state of issue queues, ports and the event wheel; see dispatch.c, issue.c, slots.c,
 * wheel.c. */
#ifndef SIM_CORE_PIPE_ISSUE_QUEUES_H
#define SIM_CORE_PIPE_ISSUE_QUEUES_H

#include "sim/core/pipe/core_types.h"

/* Free slots of an issue queue, in the order in which they were freed: the entries of a ring from
 * `head` to before `tail`. Both only increase, and are taken modulo ISSUE_QUEUE_SIZE_MAX. */
struct slot_list {
    uint16_t slot[ISSUE_QUEUE_SIZE_MAX];
    uint32_t head, tail, size;      /* size: of the queue */
    uint64_t squashed[ISSUE_QUEUE_SIZE_MAX / 64];   /* slots that the present squash frees */
};
/* Places that will become free, in order: as many as a squash can free. */
enum { RELEASES_MAX = ISSUE_QUEUES_MAX * ISSUE_QUEUE_SIZE_MAX };
/* order: by the cycle, then by the port, which is its lowest byte. */
struct released { uint64_t order; uint8_t queue; uint16_t slot; };
struct freed_slot { uint8_t queue; uint16_t slot; };
/* Without slots, the places that become free in one cycle: their number in each queue, and the
 * queues that have any. */
enum { RELEASE_CYCLES = 16 };
struct releases { uint32_t queues; uint8_t count[ISSUE_QUEUES_MAX]; };
/* The ready instructions of a queue by slot: a bit for each, and its place in the ring. */
struct ready_slots {
    uint32_t words;                 /* of `used`, for the slots of the queue */
    uint64_t used[ISSUE_QUEUE_SIZE_MAX / 64];
    uint16_t at[ISSUE_QUEUE_SIZE_MAX];
};
enum { NOT_ISSUING = 0xff, SEARCHING = 0xfe };
/* A division whose result the divider keeps. */
enum { DIVISIONS_MAX = 4 };
struct division { uint64_t a, b; unsigned op; };

/* The queues, and the layout of the bitmaps of waiting instructions. Those of all queues are in a
 * row (issue_queue_word()). They are over the ring or, where queues select by position (by_slot),
 * over the slots of a queue. A group is one word of a queue, or several if there are more than 64
 * words in all. */
struct ring_shape {
    uint32_t queue_count, slot_words;   /* words of all queues */
    uint64_t queue_groups;          /* groups of the first queue, as a bit mask */
    uint64_t first_words;           /* the first word of each queue, if a group is a word */
    uint8_t words_log2, group_log2, queue_groups_log2;  /* words of a queue, words of a group,
                                                         * groups of a queue */
    bool has_one_queue;             /* no class has more than one queue */
    bool by_slot;
    uint32_t class_queues[CLASS_COUNT];     /* queues that hold the class, as a bit mask */
};

struct issue_queues {
    struct ring_shape shape;        /* asked for by core_shape() */
    uint32_t queue_used[ISSUE_QUEUES_MAX], queue_size[ISSUE_QUEUES_MAX];
    uint8_t class_queue[CLASS_COUNT];       /* the only queue that holds the class, or
                                             * QUEUE_SEVERAL */
    uint64_t *ready, *ready_next;   /* in `bitmaps`; next: for plain machines, empty */
    uint64_t bitmaps[2][ISSUE_QUEUES_MAX * RING_WORDS_MAX];
    uint64_t ready_groups;          /* bit g: a word of group g is not 0 */
    uint64_t left_groups;           /* the same, for words that issue left in this cycle */
    uint32_t ports;                         /* every port, as a bit mask */
    uint32_t blocked_ports;                 /* ports that one operation keeps from all others */
    uint32_t queue_ports[ISSUE_QUEUES_MAX]; /* ports that take anything from the queue */
    uint32_t class_ports[ISSUE_QUEUES_MAX][CLASS_STRIDE];
    struct released released[RELEASES_MAX]; /* places about to become free, in order */
    uint32_t release_head, release_tail;
    struct releases releases[RELEASE_CYCLES];   /* by cycle, modulo RELEASE_CYCLES */
    uint32_t release_ports[RELEASE_CYCLES];     /* the same with slots, except those in `released`:
                                                 * the ports that took the instructions, */
    struct freed_slot release_slot[RELEASE_CYCLES][ISSUE_PORTS_MAX];    /* and their slots */
    uint32_t release_cycles;                /* the cycles with any, as a bit mask */
    uint8_t leaving[ISSUE_QUEUES_MAX];      /* places in queue_used to be released later; with
                                             * slots, kept for queue_bypass only */
    struct slot_list free_slots[ISSUE_QUEUES_MAX];
    uint16_t owner[ISSUE_QUEUES_MAX * ISSUE_QUEUE_SIZE_MAX];    /* by_slot: place in the ring of
                                                                 * each bit of `ready` */
    struct freed_slot freed[ISSUE_PORTS_MAX];       /* in this cycle, by the port that took the
                                                     * instruction */
    uint32_t freed_ports;                           /* the ports in `freed`, as a bit mask */
    uint32_t unentered;             /* queues that nothing has entered in this cycle; with
                                     * queue_bypass, and so are the counts of their places as the
                                     * cycle began */
    uint32_t began_used[ISSUE_QUEUES_MAX];
    uint8_t began_leaving[ISSUE_QUEUES_MAX];
    uint32_t free_ports;            /* ports that took nothing in this cycle; with queue_bypass */
    uint64_t acts_at_issue;         /* UOP_* flags of instructions whose issue has further
                                     * effects */
    uint8_t issuing;                        /* port that is taking an instruction; or NOT_ISSUING,
                                             * SEARCHING */
    uint32_t replaying;                     /* instructions in the replay queue */
    uint64_t lost_issue[REPLAY_WINDOW];     /* cycles in which issue is in vain, by cycle modulo */
    uint64_t port_busy_until[ISSUE_PORTS_MAX][CLASS_COUNT];
    uint64_t units_busy_until;              /* the latest of port_busy_until */
    uint64_t kept_from[ISSUE_PORTS_MAX][CLASS_COUNT];   /* where that is NEVER: since when */
    uint8_t int_event[ISSUE_PORTS_MAX];     /* events of the first two simple integer units; 0:
                                             * none */
    struct division divisions[DIVISIONS_MAX];   /* the youngest first; op 0: none */
    uint64_t wheel[WHEEL_SLOTS * ISSUE_QUEUES_MAX * RING_WORDS_MAX];    /* slots as `ready` */
    uint64_t wheel_groups[WHEEL_SLOTS];     /* as ready_groups; may have groups that are empty */
    uint64_t wheel_parked;                  /* slots with instructions whose cycle is later */
};

/* True if issue takes all ready instructions of a cycle at once, since none becomes ready while it
 * is under way. Instructions woken for the next cycle then join the ready ones at once. */
static inline bool issue_is_at_once(const uint64_t extras)
{
    const uint64_t in_turn = EXTRA_BYPASS | EXTRA_RELEASE | EXTRA_SLOTS | EXTRA_FUSION |
                             EXTRA_MODEL | EXTRA_QUEUE_BYPASS | EXTRA_SPLIT | EXTRA_LARGE;
    return (extras & in_turn) == 0 &&
           ((extras & EXTRA_STORE_DATA) == 0 || (extras & EXTRA_STORE_UOPS) != 0);
}

/* The word of `ready`, and of a slot of the wheel, that has the bits of a queue from this place of
 * the ring, or this slot, on. */
static inline uint32_t issue_queue_word(const struct ring_shape *shape, unsigned queue,
                                        uint32_t index)
{
    return queue << shape->words_log2 | index / 64;
}

/* Of the queues (a bit mask) that have room, the one with the fewest instructions, the first of
 * equals; QUEUE_SEVERAL: none has room. */
static inline unsigned issue_queue_emptiest(const struct issue_queues *iq, uint32_t queues)
{
    uint32_t used = UINT32_MAX;
    unsigned emptiest = QUEUE_SEVERAL;
    for (; queues != 0; queues &= queues - 1) {
        unsigned queue = (unsigned)__builtin_ctz(queues);
        if (iq->queue_used[queue] < iq->queue_size[queue] && iq->queue_used[queue] < used) {
            used = iq->queue_used[queue];
            emptiest = queue;
        }
    }
    return emptiest;
}

#endif
