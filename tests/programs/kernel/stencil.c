/* A stencil with OpenMP: the sum does not depend on the number of threads. */
#include <omp.h>
#include <stdio.h>

enum { N = 64, STEPS = 4 };
static double grid[2][N][N];

int main(void)
{
    double sum = 0;
    int step, i, j;

    for (i = 0; i < N; i++)
        for (j = 0; j < N; j++)
            grid[0][i][j] = grid[1][i][j] = (i * 7 + j * 3) % 11;
    for (step = 0; step < STEPS; step++) {
        double (*from)[N] = grid[step % 2], (*to)[N] = grid[(step + 1) % 2];

#pragma omp parallel for private(j)
        for (i = 1; i < N - 1; i++)
            for (j = 1; j < N - 1; j++)
                to[i][j] = (from[i - 1][j] + from[i + 1][j] + from[i][j - 1] + from[i][j + 1]) / 4;
    }
#pragma omp parallel for private(j) reduction(+ : sum)
    for (i = 0; i < N; i++)
        for (j = 0; j < N; j++)
            sum += grid[0][i][j] * 256;
    printf("threads %d, sum %.3f\n", omp_get_max_threads(), sum);
    return 0;
}
