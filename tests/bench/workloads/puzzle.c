/* Sudoku by trial, as exchange2: recursion over small arrays that fit the first cache. */
#include "workload.h"

enum { SIDE = 9, CELLS = SIDE * SIDE, CLUES = 26, ROUNDS = 40 };

static uint8_t puzzle[CELLS], cell[CELLS];
static uint16_t row[SIDE], column[SIDE], box[SIDE];
static uint64_t tries;

static int box_of(int i) { return i / (3 * SIDE) * 3 + i % SIDE / 3; }

static void place(int i, int digit, int is_there)
{
    uint16_t bit = (uint16_t)(1u << digit);

    cell[i] = (uint8_t)(is_there ? digit : 0);
    row[i / SIDE] = (uint16_t)(is_there ? row[i / SIDE] | bit : row[i / SIDE] & ~bit);
    column[i % SIDE] = (uint16_t)(is_there ? column[i % SIDE] | bit : column[i % SIDE] & ~bit);
    box[box_of(i)] = (uint16_t)(is_there ? box[box_of(i)] | bit : box[box_of(i)] & ~bit);
}

/* A solution with rows moved on by 3, 3, 1, ..., of which most cells are taken away. */
static void setup(void)
{
    for (int i = 0; i < CELLS; i++)
        puzzle[i] = (uint8_t)((i / SIDE * 3 + i / (3 * SIDE) + i % SIDE) % SIDE + 1);
    for (int left = CELLS; left > CLUES;) {
        uint32_t i = random_below(CELLS);
        left -= puzzle[i] != 0;
        puzzle[i] = 0;
    }
}

static int solve(int from)
{
    while (from < CELLS && cell[from] != 0)
        from++;
    if (from == CELLS)
        return 1;
    int taken = row[from / SIDE] | column[from % SIDE] | box[box_of(from)];
    for (int digit = SIDE; digit >= 1; digit--) {
        if (taken >> digit & 1)
            continue;
        tries++;
        place(from, digit, 1);
        if (solve(from + 1))
            return 1;
        place(from, digit, 0);
    }
    return 0;
}

uint64_t work(void)
{
    for (int round = 0; round < ROUNDS; round++) {
        memset(row, 0, sizeof row);
        memset(column, 0, sizeof column);
        memset(box, 0, sizeof box);
        memset(cell, 0, sizeof cell);
        for (int i = 0; i < CELLS; i++)
            if (puzzle[i] != 0)
                place(i, puzzle[i], 1);
        solve(0);
    }
    return tries;
}
