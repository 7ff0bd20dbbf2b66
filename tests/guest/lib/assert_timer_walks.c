/* Interrupts each instruction that routines of the C library execute, and walks the stack as for an
 * alarm: a breakpoint is at every instruction of the routine but the one that executes next.
 * Prints for each routine how many stacks were right and how many were wrong. */
#include "guest/lib/assert_timer_stack.c"

#include <sys/mman.h>

enum { PAGE = 4096, SPOTS = 4096, BREAK = 0x9002, OWN = 3, ITEMS = 12 };

static struct { uint16_t *at; uint16_t insn; } spot[SPOTS];
static unsigned spots, right, wrong;
static uintptr_t expected[OWN];         /* functions of this file, the innermost first */
static struct names *names;

static void set(uint16_t *at, uint16_t insn)
{
    *(volatile uint16_t *)at = insn;
    __builtin___clear_cache((char *)at, (char *)(at + 1));
}

static void restore(void)
{
    for (unsigned i = 0; i < spots; i++)
        set(spot[i].at, spot[i].insn);
}

static bool is_in(uintptr_t pc, uintptr_t function)
{
    char own[STACK_NAME], other[STACK_NAME];

    names_find(names, pc, own);
    names_find(names, function, other);
    return strcmp(own, other) == 0;
}

/* The routine may call others; the frames of this file are next to each other below. */
static bool is_right(const struct stack *stack)
{
    unsigned at = 0, matched = 0;

    while (at < stack->frames && !is_in(stack->pc[at], expected[0]))
        at++;
    while (at < stack->frames && matched < OWN && is_in(stack->pc[at], expected[matched])) {
        at++;
        matched++;
    }
    return matched == OWN;
}

static void tell(const struct stack *stack)
{
    char name[STACK_NAME];

    for (unsigned i = 0; i < stack->frames; i++) {
        names_find(names, stack->pc[i], name);
        fprintf(stderr, "%s %s:%zx", i > 0 ? ";" : "wrong:", name, (size_t)stack->pc[i]);
    }
    putc('\n', stderr);
}


static void hit(int signal, siginfo_t *info, void *context)
{
    static struct stack stack;
    ucontext_t *own = context;
    const ucontext_t before = *own;

    (void)signal;
    (void)info;
    restore();                          /* a walk reads the code */
    walk_interrupted(own, &stack);
    if (is_right(&stack) &&
        memcmp(&before.uc_mcontext, &own->uc_mcontext, sizeof before.uc_mcontext) == 0) {
        right++;
    } else {
        wrong++;
        tell(&stack);
    }
    for (unsigned i = 0; i < spots; i++)
        if ((uintptr_t)spot[i].at != interrupted_pc(own))
            set(spot[i].at, BREAK);
}

/* Puts a breakpoint at each instruction of the function. */
static void arm(uintptr_t function)
{
    uintptr_t at = function;

    spots = 0;
    mprotect((void *)(at & ~(uintptr_t)(PAGE - 1)), 4 * PAGE, PROT_READ | PROT_WRITE | PROT_EXEC);
    while (spots < SPOTS && is_in(at, function)) {
        spot[spots].at = (uint16_t *)at;
        spot[spots].insn = *(uint16_t *)at;
        at += (spot[spots++].insn & 3) == 3 ? 4 : 2;
    }
    for (unsigned i = 0; i < spots; i++)
        set(spot[i].at, BREAK);
}

/* ---- routines -------------------------------------------------------------------------------- */

static volatile unsigned work;

static int compare(const void *a, const void *b)
{
    work++;
    return *(const int *)a - *(const int *)b;
}

__attribute__((noinline)) static void call_clock(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    clock_gettime(12345, &now);         /* an error */
    work++;
}

__attribute__((noinline)) static void call_sleep(void)
{
    const struct timespec until = {0, 1000};

    clock_nanosleep(CLOCK_MONOTONIC, 0, &until, NULL);
    clock_nanosleep(12345, 0, &until, NULL);
    work++;
}

__attribute__((noinline)) static void call_usleep(void)
{
    usleep(1);
    work++;
}

__attribute__((noinline)) static void call_sort(void)
{
    int item[ITEMS];

    for (int i = 0; i < ITEMS; i++)
        item[i] = i * 5 % ITEMS;
    qsort(item, ITEMS, sizeof item[0], compare);
    work++;
}

static ssize_t put(void *cookie, const char *text, size_t bytes)
{
    (void)cookie;
    (void)text;
    work++;
    return (ssize_t)bytes;
}

/* Without a buffer of its own the stream gets one of 8 KiB in a frame. */
__attribute__((noinline)) static void call_print(void)
{
    FILE *out = fopencookie(NULL, "w", (cookie_io_functions_t){.write = put});

    setvbuf(out, NULL, _IONBF, 0);
    fprintf(out, "%d %s\n", 1, "two");
    work++;
    fclose(out);
}

__attribute__((noinline)) static void call_number(void)
{
    char *end;

    work += (unsigned)strtod("-12.5e3", &end);
    work++;
}

__attribute__((noinline)) static void run(const char *name, uintptr_t function, void (*call)(void))
{
    right = wrong = 0;
    expected[0] = (uintptr_t)call;
    arm(function);
    call();
    restore();
    spots = 0;
    printf("%s: %s, %u wrong\n", name, right >= 5 ? "all right" : "too few right", wrong);
}

int main(void)
{
    struct sigaction action = {.sa_sigaction = hit, .sa_flags = SA_SIGINFO};

    setvbuf(stdout, NULL, _IOLBF, 0);
    names = names_open();
    expected[1] = (uintptr_t)run;
    expected[2] = (uintptr_t)main;
    if (names == NULL || !stack_open(SIGURG) || sigaction(SIGTRAP, &action, NULL) != 0)
        return 1;
    run("clock_gettime", (uintptr_t)clock_gettime, call_clock);
    run("clock_nanosleep", (uintptr_t)clock_nanosleep, call_sleep);
    run("usleep", (uintptr_t)usleep, call_usleep);
    run("nanosleep, called by usleep", (uintptr_t)nanosleep, call_usleep);
    run("clock_nanosleep, called by nanosleep", (uintptr_t)clock_nanosleep, call_usleep);
    run("a function that qsort calls", (uintptr_t)compare, call_sort);
    run("a function that fprintf calls", (uintptr_t)put, call_print);
    run("strtod", (uintptr_t)strtod, call_number);
    names_close(names);
    return 0;
}
