/* Alpha-beta search, as deepsjeng: Connect Four on bit boards, with a table of positions larger
 * than the caches. */
#include "workload.h"

enum { COLUMNS = 7, ROWS = 6, HEIGHT = ROWS + 1, DEPTH = 9, TABLE = 1 << 19 };

struct entry { uint64_t key; int8_t score, depth, kind, best; };
struct board { uint64_t mine, all; };

static struct entry *table;
static const int order[COLUMNS] = {3, 2, 4, 1, 5, 0, 6};

static void setup(void)
{
    table = calloc(TABLE, sizeof *table);
}

static int wins(uint64_t board)
{
    static const int ways[4] = {1, HEIGHT, HEIGHT - 1, HEIGHT + 1};

    for (int i = 0; i < 4; i++) {
        uint64_t pairs = board & board >> ways[i];
        if (pairs & pairs >> 2 * ways[i])
            return 1;
    }
    return 0;
}

static int value(const struct board *b)
{
    static const uint64_t middle = UINT64_C(0x7f) << 3 * HEIGHT;
    static const uint64_t beside = UINT64_C(0x7f) << 2 * HEIGHT | UINT64_C(0x7f) << 4 * HEIGHT;
    uint64_t theirs = b->all ^ b->mine;

    return 3 * (__builtin_popcountll(b->mine & middle) - __builtin_popcountll(theirs & middle)) +
           __builtin_popcountll(b->mine & beside) - __builtin_popcountll(theirs & beside);
}

static int search(struct board b, int depth, int alpha, int beta)
{
    uint64_t key = b.all + b.mine + (UINT64_C(1) << 56);
    struct entry *entry = &table[key * 0x9e3779b97f4a7c15u >> 45];
    int best = -100, first = -1, from = alpha;

    if (depth == 0)
        return value(&b);
    if (entry->key == key) {
        if (entry->depth >= depth && (entry->kind == 0 || entry->score >= beta))
            return entry->score;
        first = entry->best;
    }
    for (int i = -1; i < COLUMNS && best < beta; i++) {
        int column = i < 0 ? first : order[i];
        if (column < 0 || (i >= 0 && column == first))
            continue;
        uint64_t bottom = UINT64_C(1) << column * HEIGHT;
        uint64_t move = (b.all + bottom) & (UINT64_C(0x3f) << column * HEIGHT);
        if (move == 0)
            continue;
        int score = wins(b.mine | move)
                        ? 90 + depth
                        : -search((struct board){b.all ^ b.mine, b.all | move}, depth - 1, -beta,
                                  -(best > alpha ? best : alpha));
        if (score > best) {
            best = score;
            *entry = (struct entry){key, (int8_t)score, (int8_t)depth, (int8_t)(score >= beta),
                                    (int8_t)column};
        }
    }
    if (best <= from)
        entry->kind = 1;
    return best;
}

uint64_t work(void)
{
    struct board b = {0, 0};
    uint64_t sum = 0;

    for (int i = 0; i < 6; i++) {
        uint64_t bottom = UINT64_C(1) << (random_below(COLUMNS) * HEIGHT);
        b = (struct board){b.all ^ b.mine, b.all | (b.all + bottom)};
    }
    for (int depth = 1; depth <= DEPTH; depth++)
        sum += (uint64_t)(search(b, depth, -100, 100) + 100);
    return sum;
}
