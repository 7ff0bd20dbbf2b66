/* A chain of calls, each from one place: 200 times outer, from there middle, twice inner, three
 * times leaf. -DBARE: for the bare machine. */
#define ROUTINE static __attribute__((noinline, noclone)) void

static volatile unsigned count, rounds[] = {3, 2, 200};     /* no loop is unrolled */

ROUTINE leaf(void)
{
    count++;
}

ROUTINE inner(void)
{
    for (unsigned i = 0; i < rounds[0]; i++)
        leaf();
    count++;
}

ROUTINE middle(void)
{
    for (unsigned i = 0; i < rounds[1]; i++)
        inner();
    count++;
}

ROUTINE outer(void)
{
    middle();
    count++;
}

static unsigned work(void)
{
    for (unsigned i = 0; i < rounds[2]; i++)
        outer();
    return count;
}

#ifdef BARE
extern void fail(int status) __attribute__((noreturn));

void program(void)
{
    fail(work() == 2000 ? 0 : 1);
}
#else
int main(void)
{
    return work() == 2000 ? 0 : 1;
}
#endif
