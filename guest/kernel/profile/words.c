/* Words of a thread; see section.h. */
#include "profile/section.h"

#include "process/process.h"

static uint64_t exchange(unsigned number, uint64_t value)
{
    csr_write(CSR_PROF_SINDEX, boot->words.reg[number]);
    return csr_swap(CSR_PROF_SDATA, value);
}

static bool is_setting(uint64_t number)
{
    return number >= boot->words.states + boot->words.counts;
}

bool words_new(struct thread *thread)
{
    uint64_t i;

    if (boot->words.words == 0)
        return true;
    thread->word = memory_new(boot->words.words * sizeof *thread->word);
    for (i = 0; i < boot->words.words && thread->word != NULL; i++)
        if (is_setting(i)) {
            csr_write(CSR_PROF_SINDEX, boot->words.reg[i]);
            thread->word[i] = csr_read(CSR_PROF_SDATA);
        }
    return thread->word != NULL;
}

void words_inherit(struct thread *child)
{
    uint64_t i;

    for (i = 0; i < boot->words.states && child->word != NULL; i++) {
        csr_write(CSR_PROF_SINDEX, boot->words.reg[i]);
        child->word[i] = csr_read(CSR_PROF_SDATA);
    }
    own_inherit(child);
}

/* Of a thread without words, as the idle thread is, nothing is kept, and to it settings stay. */
static void switch_word(unsigned i, const struct thread *from, const struct thread *to)
{
    uint64_t value;

    if (to->word == NULL && is_setting(i))
        return;
    value = exchange(i, to->word != NULL ? to->word[i] : 0);
    if (from->word != NULL)
        from->word[i] = value;
}

/* A gate and its counts. A count goes over from thread to thread in one instruction, so that no
 * cycle between two threads in the section is lost. Of one thread alone in it, the first count
 * begins with the gate and ends with it, and one exchange follows in either case: as much as that
 * thread loses when it leaves the hart, before the scheduler says so, it has too much when it comes
 * back. */
static void switch_gate(unsigned state, struct thread *from, const struct thread *to)
{
    const struct kernel_words *words = &boot->words;
    unsigned counts = (unsigned)(words->counts / words->states), i;
    unsigned first = (unsigned)words->states + state * counts;
    uint64_t next = to->word != NULL ? to->word[state] : 0, was;

    csr_write(CSR_PROF_SINDEX, boot->words.reg[state]);
    was = csr_read(CSR_PROF_SDATA);
    if (from->word != NULL)
        from->word[state] = was;
    if (was == 0)
        switch_word(first, from, to);
    for (i = 1; i < counts && was != 0; i++)
        switch_word(first + i, from, to);
    if (was == 0 || next == 0)
        exchange(state, next);
    if (was != 0)
        switch_word(first, from, to);
    for (i = 1; i < counts && was == 0; i++)
        switch_word(first + i, from, to);
    if (was != 0 && next != 0)
        exchange(state, next);
}

void words_switch(struct thread *from, const struct thread *to)
{
    const struct kernel_words *words = &boot->words;
    unsigned i;

    if (boot->has_limits)
        limits_switch(from, to);
    for (i = (unsigned)(words->states + words->counts); i < words->words; i++)
        switch_word(i, from, to);
    for (i = 0; i < words->states; i++)
        switch_gate(i, from, to);
}

void words_forget(struct thread *thread)
{
    unsigned i;

    limits_forget(thread);
    own_forget(thread);
    for (i = 0; i < boot->words.states; i++)
        exchange(i, 0);
}

void words_end(struct thread *thread)
{
    const struct kernel_words *words = &boot->words;
    unsigned i;

    words_forget(thread);
    if (thread->word == NULL)
        return;
    for (i = 0; i < words->counts; i++)
        record(KERNEL_COUNT, thread, i, KERNEL_REASON_NONE,
               exchange((unsigned)words->states + i, 0));
    words_free(thread);
}

void words_free(struct thread *thread)
{
    if (thread->word != NULL)
        memory_free(thread->word, boot->words.words * sizeof *thread->word);
    thread->word = NULL;
}
