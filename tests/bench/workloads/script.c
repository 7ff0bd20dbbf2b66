/* An interpreter, as perlbench: byte code of a small program over strings and a hash table, one
 * indirect jump for each operation. */
#include "workload.h"

enum op { PUSH, LOAD, STORE, ADD, SUB, MUL, AND, LESS, JUMP, JUMP_ZERO, GET, PUT, BYTE, DROP,
          HALT };
enum { SLOTS = 1024, TEXT = 4096, STACK = 64, VARIABLES = 8, ROUNDS = 10 };

static int64_t table[SLOTS], variable[VARIABLES];
static uint8_t text[TEXT];

/* for (i = 0; i < TEXT; i++) {
 *     h = (h * 31 + text[i]) & (SLOTS - 1);
 *     if (text[i] & 1) table[h] = table[h] + 1; else if (h < 100) s = s + table[i & 255];
 * } */
static const int64_t code[] = {
    PUSH, 0, STORE, 0,
    LOAD, 0, PUSH, TEXT, LESS, JUMP_ZERO, 71,                                       /* 4 */
    LOAD, 1, PUSH, 31, MUL, LOAD, 0, BYTE, ADD, PUSH, SLOTS - 1, AND, STORE, 1,     /* 11 */
    LOAD, 0, BYTE, PUSH, 1, AND, JUMP_ZERO, 44,                                     /* 25 */
    LOAD, 1, LOAD, 1, GET, PUSH, 1, ADD, PUT, JUMP, 62,                             /* 33 */
    LOAD, 1, PUSH, 100, LESS, JUMP_ZERO, 62,                                        /* 44 */
    LOAD, 2, LOAD, 0, PUSH, 255, AND, GET, ADD, STORE, 2,                           /* 51 */
    LOAD, 0, PUSH, 1, ADD, STORE, 0, JUMP, 4,                                       /* 62 */
    HALT,                                                                           /* 71 */
};

static void setup(void)
{
    for (uint32_t i = 0; i < TEXT; i++)
        text[i] = (uint8_t)("the quick brown fox jumps over "[i % 31] ^ (random_below(16) == 0));
}

static void run(void)
{
    int64_t stack[STACK], *top = stack;

    for (const int64_t *pc = code;;) {
        switch ((enum op)*pc++) {
        case PUSH: *top++ = *pc++; break;
        case LOAD: *top++ = variable[*pc++]; break;
        case STORE: variable[*pc++] = *--top; break;
        case ADD: top--; top[-1] += top[0]; break;
        case SUB: top--; top[-1] -= top[0]; break;
        case MUL: top--; top[-1] *= top[0]; break;
        case AND: top--; top[-1] &= top[0]; break;
        case LESS: top--; top[-1] = top[-1] < top[0]; break;
        case JUMP: pc = code + *pc; break;
        case JUMP_ZERO: pc = *--top == 0 ? code + *pc : pc + 1; break;
        case GET: top[-1] = table[top[-1] & (SLOTS - 1)]; break;
        case PUT: top -= 2; table[top[0] & (SLOTS - 1)] = top[1]; break;
        case BYTE: top[-1] = text[top[-1] & (TEXT - 1)]; break;
        case DROP: top--; break;
        case HALT: return;
        }
    }
}

uint64_t work(void)
{
    for (int round = 0; round < ROUNDS; round++)
        run();
    return (uint64_t)(variable[2] + variable[1]);
}
