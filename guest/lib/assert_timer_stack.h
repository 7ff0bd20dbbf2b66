/* Stacks of the program's own threads, and the names of functions. */
#ifndef GUEST_LIB_ASSERT_TIMER_STACK_H
#define GUEST_LIB_ASSERT_TIMER_STACK_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { STACK_FRAMES = 64, STACK_NAME = 256, STACK_THREADS = 64 };

/* Addresses of instructions, the leaf first. */
struct stack { unsigned frames; uintptr_t pc[STACK_FRAMES]; };

/* Installs the handler of the signal. False: errno says why. */
bool stack_open(int signal);
/* Takes the stack of this thread, or of another one, which must not end before this returns. The
 * stack has no frames if the thread blocks the signal or does not handle it in time. */
void stack_take(int signal, pthread_t thread, struct stack *stack);
/* Takes the stacks of all other threads in /proc, except of `except`; returns their number. */
unsigned stack_take_others(int signal, pthread_t except, struct stack stack[STACK_THREADS]);

/* ---- names ----------------------------------------------------------------------------------- */

/* The mapped files with code (the program, its libraries), with their symbol tables. */
struct names;
struct names *names_open(void);         /* NULL: no memory */
void names_close(struct names *names);
/* The name of the function at an address, without a suffix of the compiler (after a dot); if it is
 * unknown, "FILE+0xOFFSET" without a path. */
void names_find(const struct names *names, uintptr_t pc, char name[STACK_NAME]);

#endif
