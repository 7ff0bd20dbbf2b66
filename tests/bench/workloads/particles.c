/* A particle filter, as bodytrack: each guess of a pose is drawn into a map of edges, its error
 * becomes a weight, and guesses are drawn again by weight. */
#include "workload.h"

enum { PARTICLES = 600, JOINTS = 12, SAMPLES = 12, WIDTH = 512, HEIGHT = 384 };

struct pose { double angle[JOINTS], weight; };

static uint8_t *edges;
static struct pose *pose, *drawn;

static void setup(void)
{
    edges = malloc(WIDTH * HEIGHT);
    pose = calloc(PARTICLES, sizeof *pose);
    drawn = calloc(PARTICLES, sizeof *drawn);
    for (int i = 0; i < WIDTH * HEIGHT; i++)
        edges[i] = (uint8_t)random_below(i % WIDTH / 16 % 5 == 0 ? 255 : 40);
    for (int i = 0; i < PARTICLES; i++)
        for (int j = 0; j < JOINTS; j++)
            pose[i].angle[j] = random_real() * 2 - 1;
}

static double error_of(const struct pose *p)
{
    double x = WIDTH / 2, y = HEIGHT / 2, angle = 0, error = 0;

    for (int j = 0; j < JOINTS; j++) {
        if (j % 3 == 0) {
            x = WIDTH / 2 + (j - 6) * 10;
            y = HEIGHT / 2;
            angle = 0;
        }
        angle += p->angle[j];
        double dx = cos(angle) * 4, dy = sin(angle) * 4;
        for (int s = 0; s < SAMPLES; s++) {
            x += dx;
            y += dy;
            int column = (int)x, row = (int)y;
            if (column < 0 || row < 0 || column >= WIDTH || row >= HEIGHT)
                continue;
            double missing = 1 - edges[row * WIDTH + column] / 255.0;
            error += missing * missing;
        }
    }
    return error / (JOINTS * SAMPLES);
}

static void draw(double whole)
{
    for (int i = 0; i < PARTICLES; i++) {
        double left = random_real() * whole;
        int j = 0;
        while (j < PARTICLES - 1 && (left -= pose[j].weight) > 0)
            j++;
        drawn[i] = pose[j];
        for (int k = 0; k < JOINTS; k++)
            drawn[i].angle[k] += (random_real() - 0.5) * 0.1;
    }
}

uint64_t work(void)
{
    struct pose *kept = pose;
    double whole = 0;

    for (int i = 0; i < PARTICLES; i++)
        whole += pose[i].weight = exp(-8 * error_of(&pose[i]));
    draw(whole);
    pose = drawn;
    drawn = kept;
    return (uint64_t)(whole * 1e6);
}
