/* Lines of blocks of five by five are solved by elimination, as bwaves does for its flow: most time
 * goes to small dense products of matrices that come from memory once. */
#include "workload.h"

enum { N = 5, LINES = 60, LENGTH = 30 };

struct block { double m[N][N]; };
struct row { struct block before, here, after; double right[N]; };

static struct row *row;

static void setup(void)
{
    row = calloc(LINES * LENGTH * 2, sizeof *row);
    for (int i = 0; i < LINES * LENGTH * 2; i++)
        for (int a = 0; a < N; a++) {
            row[i].right[a] = random_real();
            for (int b = 0; b < N; b++) {
                row[i].before.m[a][b] = 0.1 * random_real();
                row[i].here.m[a][b] = (a == b) * 4 + 0.1 * random_real();
                row[i].after.m[a][b] = 0.1 * random_real();
            }
        }
}

/* here = here - before * above; right = right - before * right above */
static void subtract(struct row *r, const struct row *above)
{
    for (int a = 0; a < N; a++) {
        for (int b = 0; b < N; b++) {
            double sum = 0;
            for (int k = 0; k < N; k++)
                sum += r->before.m[a][k] * above->after.m[k][b];
            r->here.m[a][b] -= sum;
        }
        for (int k = 0; k < N; k++)
            r->right[a] -= r->before.m[a][k] * above->right[k];
    }
}

/* Gauss and Jordan without pivots: after and right are multiplied by the inverse of here. */
static void eliminate(struct row *r)
{
    for (int p = 0; p < N; p++) {
        double scale = 1 / r->here.m[p][p];
        for (int b = 0; b < N; b++) {
            r->here.m[p][b] *= scale;
            r->after.m[p][b] *= scale;
        }
        r->right[p] *= scale;
        for (int a = 0; a < N; a++) {
            double factor = r->here.m[a][p];
            if (a == p)
                continue;
            for (int b = 0; b < N; b++) {
                r->here.m[a][b] -= factor * r->here.m[p][b];
                r->after.m[a][b] -= factor * r->after.m[p][b];
            }
            r->right[a] -= factor * r->right[p];
        }
    }
}

uint64_t work(void)
{
    static int half;
    struct row *first = row + half * LINES * LENGTH;
    double sum = 0;

    for (int line = 0; line < LINES; line++)
        for (int i = 0; i < LENGTH; i++) {
            struct row *r = &first[i * LINES + line];
            if (i != 0)
                subtract(r, r - LINES);
            eliminate(r);
            sum += r->right[0];
        }
    half = !half;
    return (uint64_t)fabs(sum * 1e6);
}
