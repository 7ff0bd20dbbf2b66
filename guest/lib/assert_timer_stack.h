/* The stacks of a program's own threads, and names for them. */
#ifndef GUEST_LIB_ASSERT_TIMER_STACK_H
#define GUEST_LIB_ASSERT_TIMER_STACK_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { STACK_FRAMES = 64, STACK_NAME = 256, STACK_THREADS = 64 };

/* Addresses of instructions, the leaf first. */
struct stack { unsigned frames; uintptr_t pc[STACK_FRAMES]; };

/* Makes ready to interrupt threads by this signal. False: errno says why. */
bool stack_open(int signal);
/* The stack of another thread, which is there until this returns, or of this one. It has no frames
 * where the thread blocks the signal or does not come to it in time. */
void stack_take(int signal, pthread_t thread, struct stack *stack);
/* Takes the stacks of all other threads that /proc lists, but of `except`; returns their number. */
unsigned stack_take_others(int signal, pthread_t except, struct stack stack[STACK_THREADS]);

/* ---- names ----------------------------------------------------------------------------------- */

/* The files of code that the process has mapped, with their tables of symbols. */
struct names;
struct names *names_open(void);         /* NULL: no memory */
void names_close(struct names *names);
/* The name of the function at an address, without what a compiler adds after a dot, else
 * "FILE+0xOFFSET", without a path. */
void names_find(const struct names *names, uintptr_t pc, char name[STACK_NAME]);

#endif
