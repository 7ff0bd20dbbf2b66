/* The thread that a hart runs, set by its scheduler (CSR_PROF_THREAD), and the listeners to
 * changes. */
#ifndef PMU_PMU_THREAD_H
#define PMU_PMU_THREAD_H

#include <stddef.h>
#include <stdint.h>

/* Cycles and instructions in each privilege (0 user, 1 supervisor, 3 machine) up to its last
 * change, including waiting. */
struct pmu_modes { uint64_t cycles[4], insns[4], since_cycles, since_insns; };

/* changed: called at every write, after events[] holds all that happened before it, and before the
 * hart runs anything else. program: when the hart has gone over to another program, maybe after
 * `changed`. Either may be NULL. The memory is the listener's. */
struct pmu_listener {
    void (*changed)(void *arg, uint64_t before, uint64_t now);
    void *arg;
    struct pmu_listener *next;      /* set by pmu_listen */
    void (*program)(void *arg, uint64_t program);
};

/* A covering file: code and data that a process maps at addresses where its program had another
 * file before. `program` is the file's own program number at this place (pmu/key.h). */
struct pmu_cover { uint64_t start, end, program; };

struct pmu_thread {
    struct pmu_modes modes;
    uint64_t id;
    struct pmu_listener *listeners; /* NULL: none */
    uint64_t program;               /* of the thread, as pmu/key.h has it; 0: the first program;
                                     * changed by pmu_set_program */
    const struct pmu_cover *cover;  /* [covers] of its process; changed by pmu_set_covers */
    size_t covers;
};

void pmu_listen(struct pmu_thread *thread, struct pmu_listener *listener);
/* A listener that is not in the list is ignored. */
void pmu_unlisten(struct pmu_thread *thread, const struct pmu_listener *listener);

/* The covers of the process that the hart runs, whose memory stays the caller's. */
struct pmu;
void pmu_set_covers(struct pmu *pmu, const struct pmu_cover *cover, size_t covers);
/* The key of an address of a program with these covers. */
uint64_t pmu_cover_key(const struct pmu_cover *cover, size_t covers, uint64_t program, uint64_t va);
/* The key of an address that the hart uses. */
static inline uint64_t pmu_thread_key(const struct pmu_thread *thread, uint64_t va)
{
    return thread->program != 0 || thread->covers != 0
               ? pmu_cover_key(thread->cover, thread->covers, thread->program, va) : va;
}

#endif
