/* Children that misbehave; each ends as under Linux, and the others go on. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define KERNEL 0xffffffc080000000ul

static int recurse(int depth)
{
    volatile char space[4096];

    space[0] = (char)depth;
    return recurse(depth + 1) + space[0];
}

static void overflow_stack(void) { exit(recurse(0) & 1); }
static void jump_into_kernel(void) { ((void (*)(void))KERNEL)(); }
static void read_kernel(void) { *(volatile long *)KERNEL; }
static void write_satp(void) { __asm__ volatile("csrw satp, zero"); }

static void use_bad_pointers(void)
{
    static const long calls[] = {SYS_read, SYS_write, SYS_readv, SYS_writev, SYS_openat, SYS_fstat,
                                 SYS_getdents64, SYS_pipe2, SYS_clock_gettime, SYS_nanosleep,
                                 SYS_execve, SYS_rt_sigaction, SYS_uname, SYS_getrandom};
    static const unsigned long bad[] = {8, KERNEL, -1ul, -4096ul, 1ul << 38};
    unsigned i, j;

    for (i = 0; i < sizeof calls / sizeof calls[0]; i++)
        for (j = 0; j < sizeof bad / sizeof bad[0]; j++)
            if (syscall(calls[i], bad[j], bad[j], bad[j], bad[j], bad[j], bad[j]) >= 0)
                _exit(1);
    _exit(11);
}

static int end_of(void (*act)(void))
{
    pid_t child = fork();
    int status;

    if (child == 0) {
        act();
        _exit(0);
    }
    waitpid(child, &status, 0);
    return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

/* Each handler begins another one, on an alternate stack that has memory below it. */
static void signal_again(int signo) { raise(signo); }

static void fill_alternate_stack(void)
{
    static char memory[1 << 17];
    const stack_t stack = {.ss_sp = memory + (1 << 16), .ss_size = 1 << 14};
    const struct sigaction action = {.sa_handler = signal_again,
                                     .sa_flags = SA_ONSTACK | SA_NODEFER};

    sigaltstack(&stack, NULL);
    sigaction(SIGUSR1, &action, NULL);
    raise(SIGUSR1);
}

int main(void)
{
    int overflow = end_of(overflow_stack), jump = end_of(jump_into_kernel);
    int look = end_of(read_kernel), csr = end_of(write_satp), bad = end_of(use_bad_pointers);

    printf("overflow %d, jump %d, read %d, csr %d, bad pointers %d, handlers %d\n", overflow, jump,
           look, csr, bad, end_of(fill_alternate_stack));
    return 0;
}
