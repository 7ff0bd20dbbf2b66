/* Functions of the drawn programs without a system; runtime.S and runtime.c have them. */
#ifndef TRUTH_RUNTIME_H
#define TRUTH_RUNTIME_H

typedef long jmp_buf[14];
int setjmp(jmp_buf place) __attribute__((returns_twice));
void longjmp(jmp_buf place, int value) __attribute__((noreturn));
long hart(void);
long trap(long is_nested);              /* an exception; nested: its handler has one, too */
void ask_interrupt(void);               /* a software interrupt of this hart, taken at once */
void start_ticks(long number);          /* timer interrupts */
int program(long me);

#endif
