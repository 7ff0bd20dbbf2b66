/* Games played to the end at random, as leela does in its tree: stones, groups and liberties on a
 * board of nine by nine. */
#include "workload.h"

enum { SIDE = 9, EDGE = SIDE + 2, CELLS = EDGE * EDGE, GAMES = 140, MOVES = 110 };
enum { EMPTY, BLACK, WHITE, BORDER };

static uint8_t board[CELLS];
static int16_t group[CELLS], next[CELLS], liberties[CELLS], empty[CELLS], empties;
static const int way[4] = {1, -1, EDGE, -EDGE};

static void setup(void) {}

static void clear(void)
{
    empties = 0;
    for (int i = 0; i < CELLS; i++) {
        int x = i % EDGE, y = i / EDGE;
        board[i] = x == 0 || y == 0 || x > SIDE || y > SIDE ? BORDER : EMPTY;
        if (board[i] == EMPTY)
            empty[empties++] = (int16_t)i;
    }
}

/* Counts liberties: a place counts once for each stone beside it. */
static void count(int at, int change)
{
    for (int i = 0; i < 4; i++) {
        int other = at + way[i];
        if (board[other] == BLACK || board[other] == WHITE)
            liberties[group[other]] = (int16_t)(liberties[group[other]] + change);
    }
}

static void join(int a, int b)
{
    int at = b;

    liberties[a] = (int16_t)(liberties[a] + liberties[b]);
    do {
        group[at] = (int16_t)a;
        at = next[at];
    } while (at != b);
    at = next[a];
    next[a] = next[b];
    next[b] = (int16_t)at;
}

static void take(int root)
{
    int at = root;

    do {
        int after = next[at];
        board[at] = EMPTY;
        empty[empties++] = (int16_t)at;
        count(at, 1);
        at = after;
    } while (at != root);
}

static int is_eye(int at, int colour)
{
    for (int i = 0; i < 4; i++)
        if (board[at + way[i]] != colour && board[at + way[i]] != BORDER)
            return 0;
    return 1;
}

static void play(int at, int colour)
{
    board[at] = (uint8_t)colour;
    group[at] = next[at] = (int16_t)at;
    liberties[at] = 0;
    for (int i = 0; i < 4; i++)
        liberties[at] = (int16_t)(liberties[at] + (board[at + way[i]] == EMPTY));
    count(at, -1);
    for (int i = 0; i < 4; i++) {
        int other = at + way[i];
        if (board[other] == colour && group[other] != group[at])
            join(group[at], group[other]);
        else if (board[other] == 3 - colour && liberties[group[other]] <= 0)
            take(group[other]);
    }
}

uint64_t work(void)
{
    uint64_t score = 0;

    for (int game = 0; game < GAMES; game++) {
        clear();
        for (int move = 0; move < MOVES && empties > 1; move++) {
            int pick = (int)random_below((uint32_t)empties), at = empty[pick];
            if (is_eye(at, 1 + move % 2))
                continue;
            empty[pick] = empty[--empties];
            play(at, 1 + move % 2);
        }
        for (int i = 0; i < CELLS; i++)
            score += board[i] == BLACK;
    }
    return score;
}
