/* Pictures, as imagick: each pixel is a mean of similar pixels around it, at places that are
 * rounded by floor() and ceil(). */
#include "workload.h"

enum { WIDTH = 96, HEIGHT = 18, REACH = 2 };

struct pixel { float red, green, blue, opacity; };

static struct pixel *picture, *result;

static void setup(void)
{
    picture = calloc(WIDTH * HEIGHT, sizeof *picture);
    result = calloc(WIDTH * HEIGHT, sizeof *result);
    for (int i = 0; i < WIDTH * HEIGHT; i++)
        picture[i] = (struct pixel){(float)random_real(), (float)(i % 7) / 7, (float)(i % 31) / 31,
                                    1};
}

__attribute__((noinline)) static const struct pixel *pixel_at(double x, double y)
{
    long column = (long)(x - floor(x) < 0.5 ? floor(x) : ceil(x));
    long row = (long)(y - floor(y) < 0.5 ? floor(y) : ceil(y));

    column = column < 0 ? 0 : column >= WIDTH ? WIDTH - 1 : column;
    row = row < 0 ? 0 : row >= HEIGHT ? HEIGHT - 1 : row;
    return &picture[row * WIDTH + column];
}

static void shift_mean(int x, int y)
{
    double at_x = x, at_y = y, red = 0, green = 0, blue = 0;
    int found = 0;
    const struct pixel *centre = pixel_at(at_x, at_y);

    for (int v = -REACH; v <= REACH; v++)
        for (int u = -REACH; u <= REACH; u++) {
            const struct pixel *p = pixel_at(at_x + u * 0.9, at_y + v * 0.9);
            double difference = (p->red - centre->red) * (p->red - centre->red) +
                                (p->green - centre->green) * (p->green - centre->green) +
                                (p->blue - centre->blue) * (p->blue - centre->blue);
            if (difference > 0.3)
                continue;
            red += p->red;
            green += p->green;
            blue += p->blue;
            found++;
        }
    result[y * WIDTH + x] = (struct pixel){(float)(red / found), (float)(green / found),
                                           (float)(blue / found), 1};
}

uint64_t work(void)
{
    float sum = 0;

    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++)
            shift_mean(x, y);
    for (int i = 0; i < WIDTH * HEIGHT; i++)
        sum += result[i].red + result[i].blue;
    return (uint64_t)(sum * 1000);
}
