/* Ray tracing, as povray: rays against spheres, of which the nearest is shaded and mirrors. */
#include "workload.h"

enum { SPHERES = 60, WIDTH = 60, HEIGHT = 45, BOUNCES = 3 };

struct vector { double x, y, z; };
struct sphere { struct vector centre; double radius, mirror, shade; };

static struct sphere sphere[SPHERES];

static struct vector along(struct vector a, double t, struct vector b)
{
    return (struct vector){a.x + t * b.x, a.y + t * b.y, a.z + t * b.z};
}
static double dot(struct vector a, struct vector b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

static void setup(void)
{
    for (int i = 0; i < SPHERES; i++)
        sphere[i] = (struct sphere){
            {random_real() * 16 - 8, random_real() * 12 - 6, 8 + random_real() * 20},
            0.4 + random_real(), random_real(), random_real(),
        };
}

static const struct sphere *hit(struct vector from, struct vector way, double *distance)
{
    const struct sphere *nearest = NULL;

    *distance = 1e30;
    for (int i = 0; i < SPHERES; i++) {
        struct vector to = along(sphere[i].centre, -1, from);
        double b = dot(to, way);
        double root = b * b - dot(to, to) + sphere[i].radius * sphere[i].radius;
        if (root < 0)
            continue;
        double t = b - sqrt(root);
        if (t > 1e-6 && t < *distance) {
            *distance = t;
            nearest = &sphere[i];
        }
    }
    return nearest;
}

static double trace(struct vector from, struct vector way, int bounces)
{
    double distance;
    const struct sphere *s = hit(from, way, &distance);

    if (s == NULL)
        return 0.5 + 0.5 * way.y;
    struct vector at = along(from, distance, way), up = along(at, -1, s->centre);
    double length = 1 / sqrt(dot(up, up));
    up = (struct vector){up.x * length, up.y * length, up.z * length};
    double light = s->shade * fmax(0, up.y * 0.8 - up.z * 0.6);
    if (bounces == 0 || s->mirror < 0.4)
        return light;
    return light + s->mirror * trace(at, along(way, -2 * dot(way, up), up), bounces - 1);
}

uint64_t work(void)
{
    double sum = 0;

    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++) {
            struct vector way = {(x - WIDTH / 2) * 0.017, (y - HEIGHT / 2) * 0.017, 1};
            double length = 1 / sqrt(dot(way, way));
            way = (struct vector){way.x * length, way.y * length, way.z * length};
            sum += trace((struct vector){0, 0, 0}, way, BOUNCES);
        }
    return (uint64_t)(sum * 1000);
}
