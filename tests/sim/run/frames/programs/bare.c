/* Bare metal, RV64 and RV32: tests/programs/start.S calls program(). */
#include "tests/sim/run/frames/programs/shapes.h"

void program(void);
void pass(void);
void fail(int code);

void give_up(void)
{
    for (;;)
        fail(1);
}

void program(void)
{
    sink += shapes();
    pass();
}
