/* A tree of a document is written out again by templates, as xalancbmk: nodes of several kinds in
 * no order in memory, functions through pointers, comparisons of strings. */
#include "workload.h"

enum { NODES = 90000, NAMES = 300, FAN = 6, OUTPUT = 1 << 20 };

struct node;
typedef void write_node(const struct node *node, int depth);
struct node { write_node *write; const char *name; struct node *child, *sibling;
              const char *text; uint32_t attributes, pad; };
struct template { const char *name; uint32_t used; struct template *next; };

static struct node **nodes;
static struct template *template[256];
static char *output;
static uint32_t written;

static void put(const char *text)
{
    while (*text != '\0')
        output[written++ & (OUTPUT - 1)] = *text++;
}

static struct template *template_of(const char *name)
{
    uint32_t hash = 0;

    for (const char *c = name; *c != '\0'; c++)
        hash = hash * 33 + (uint8_t)*c;
    for (struct template *t = template[hash % 256]; t != NULL; t = t->next)
        if (strcmp(t->name, name) == 0)
            return t;
    struct template *t = malloc(sizeof *t);
    *t = (struct template){name, 0, template[hash % 256]};
    return template[hash % 256] = t;
}

static void write_text(const struct node *node, int depth)
{
    (void)depth;
    put(node->text);
}

static void write_element(const struct node *node, int depth)
{
    template_of(node->name)->used++;
    put("<");
    put(node->name);
    put(">");
    for (const struct node *child = node->child; child != NULL; child = child->sibling)
        child->write(child, depth + 1);
    put("</>");
}

static void write_hidden(const struct node *node, int depth)
{
    if (node->attributes % 3 == (uint32_t)depth % 3)
        write_element(node, depth);
}

static void setup(void)
{
    static char name[NAMES][12];

    for (int i = 0; i < NAMES; i++)
        snprintf(name[i], sizeof name[i], "e%x", i * 7919);
    output = malloc(OUTPUT);
    nodes = calloc(NODES, sizeof *nodes);
    for (uint32_t i = 0; i < NODES; i++) {
        uint32_t kind = random_below(10);
        nodes[i] = malloc(sizeof **nodes + random_below(100));
        *nodes[i] = (struct node){
            .write = kind < 5 ? write_element : kind < 8 ? write_text : write_hidden,
            .name = name[random_below(NAMES)], .text = "some text", .attributes = random_below(9)};
    }
    for (uint32_t i = NODES - 1; i > 1; i--) {
        uint32_t j = 1 + random_below(i);
        struct node *kept = nodes[i];
        nodes[i] = nodes[j];
        nodes[j] = kept;
    }
    nodes[0]->write = write_element;
    for (uint32_t i = 1; i < NODES; i++) {
        struct node *parent = nodes[(i - 1) / FAN];
        nodes[i]->sibling = parent->child;
        parent->child = nodes[i];
    }
}

uint64_t work(void)
{
    uint32_t first = NODES / FAN / FAN / 2;

    for (uint32_t i = first; i < first + 700; i++)
        nodes[i]->write(nodes[i], 0);
    return written;
}
