/* Work that harts split among them, with barriers between its steps: smoothing of a ring, where
 * each step reads the values that neighbours wrote in the last step. Started by hart number
 * (start_harts.S); hart 0 compares the result with its own computation, and the others wait. Built
 * with -DHARTS=n. */
enum { CELLS = 512, STEPS = 40 };

static unsigned ring[2][CELLS], alone[2][CELLS];
static unsigned arrived, turn;

/* A sense-reversing barrier: the last hart to come lets the others go. */
static void wait_for_all(unsigned *sense)
{
    *sense = !*sense;
    if (__atomic_add_fetch(&arrived, 1, __ATOMIC_ACQ_REL) == HARTS) {
        __atomic_store_n(&arrived, 0, __ATOMIC_RELAXED);
        __atomic_store_n(&turn, *sense, __ATOMIC_RELEASE);
        return;
    }
    while (__atomic_load_n(&turn, __ATOMIC_ACQUIRE) != *sense)
        ;
}

static void smooth(unsigned cells[2][CELLS], unsigned step, unsigned from, unsigned to)
{
    const unsigned *old = cells[step % 2];
    unsigned *new = cells[(step + 1) % 2];

    for (unsigned i = from; i < to; i++)
        new[i] = old[(i + CELLS - 1) % CELLS] + 3 * old[i] + 5 * old[(i + 1) % CELLS];
}

static void prepare(unsigned cells[2][CELLS])
{
    for (unsigned i = 0; i < CELLS; i++)
        cells[0][i] = i * 2654435761u;
}

/* The exit status: 0, or 1 when a cell differs. */
int hart_main(unsigned long hart)
{
    unsigned sense = 0, differs = 0;

    if (hart == 0)
        prepare(ring);
    wait_for_all(&sense);
    for (unsigned step = 0; step < STEPS; step++) {
        smooth(ring, step, CELLS * hart / HARTS, CELLS * (hart + 1) / HARTS);
        wait_for_all(&sense);
    }
    if (hart != 0)
        return 0;
    prepare(alone);
    for (unsigned step = 0; step < STEPS; step++)
        smooth(alone, step, 0, CELLS);
    for (unsigned i = 0; i < CELLS; i++)
        differs |= alone[STEPS % 2][i] != ring[STEPS % 2][i];
    return (int)differs;
}
