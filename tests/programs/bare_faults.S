/* Bare-metal programs that fail: one for each definition of HOW. They have no trap handler. */
#include "tests/programs/counted.h"
#define JUMP 1
#define STORE 2
#define ILLEGAL 3
#define SPIN 4

    .text
    function program
#if HOW == JUMP
    li t0, 0x10
    jr t0
#elif HOW == STORE
    sd zero, 0x18(zero)
#elif HOW == ILLEGAL
    .4byte 0
#elif HOW == SPIN
    j program
#endif
    j pass
    end_function program
