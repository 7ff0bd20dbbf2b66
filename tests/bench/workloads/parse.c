/* A compiler's front end, as gcc: words of a text are looked up, expressions become trees, trees
 * are folded and freed. */
#include "workload.h"

enum { TEXT = 1 << 15, NAMES = 4096, ROUNDS = 2 };

struct name { struct name *next; uint32_t hash, length; const char *text; int64_t value; };
struct tree { char kind; struct tree *left, *right; int64_t value; };

static char *text;
static const char *at;
static struct name *names[NAMES];

static void setup(void)
{
    static const char operators[] = "+-*+";
    uint32_t depth = 0, i = 0;

    text = malloc(TEXT + 64);
    while (i < TEXT) {
        for (; random_below(4) == 0 && depth < 6; depth++)
            text[i++] = '(';
        if (random_below(3) == 0)
            i += (uint32_t)sprintf(text + i, "%u", random_below(1000));
        else
            i += (uint32_t)sprintf(text + i, "v%x", random_below(600) * random_below(6));
        for (; depth != 0 && random_below(3) == 0; depth--)
            text[i++] = ')';
        text[i++] = depth == 0 && random_below(5) == 0 ? ';' : operators[random_below(4)];
    }
    text[i - 1] = '1';
    while (depth-- != 0)
        text[i++] = ')';
    text[i++] = ';';
    text[i] = '\0';
}

static struct name *look_up(const char *from, uint32_t length)
{
    uint32_t hash = 2166136261u;

    for (uint32_t i = 0; i < length; i++)
        hash = (hash ^ (uint8_t)from[i]) * 16777619u;
    for (struct name *name = names[hash % NAMES]; name != NULL; name = name->next)
        if (name->hash == hash && name->length == length && memcmp(name->text, from, length) == 0)
            return name;
    struct name *name = malloc(sizeof *name);
    *name = (struct name){names[hash % NAMES], hash, length, from, hash % 100};
    return names[hash % NAMES] = name;
}

static struct tree *tree_of(char kind, struct tree *left, struct tree *right, int64_t value)
{
    struct tree *tree = malloc(sizeof *tree);

    *tree = (struct tree){kind, left, right, value};
    return tree;
}

static struct tree *expression(void);

static struct tree *primary(void)
{
    if (*at == '(') {
        at++;
        struct tree *inner = expression();
        at++;
        return inner;
    }
    if (*at >= '0' && *at <= '9') {
        int64_t value = 0;
        while (*at >= '0' && *at <= '9')
            value = value * 10 + *at++ - '0';
        return tree_of('#', NULL, NULL, value);
    }
    const char *from = at;
    while ((*at >= 'a' && *at <= 'z') || (*at >= '0' && *at <= '9'))
        at++;
    return tree_of('v', NULL, NULL, look_up(from, (uint32_t)(at - from))->value);
}

static struct tree *product(void)
{
    struct tree *left = primary();

    while (*at == '*') {
        at++;
        left = tree_of('*', left, primary(), 0);
    }
    return left;
}

static struct tree *expression(void)
{
    struct tree *left = product();

    while (*at == '+' || *at == '-') {
        char kind = *at++;
        left = tree_of(kind, left, product(), 0);
    }
    return left;
}

static int64_t fold(struct tree *tree)
{
    int64_t left = 0, right = 0, value = tree->value;

    if (tree->left != NULL) {
        left = fold(tree->left);
        right = fold(tree->right);
    }
    switch (tree->kind) {
    case '+': value = left + right; break;
    case '-': value = left - right; break;
    case '*': value = left * right & 0xffffff; break;
    default: break;
    }
    free(tree);
    return value;
}

uint64_t work(void)
{
    uint64_t sum = 0;

    for (int round = 0; round < ROUNDS; round++)
        for (at = text; *at != '\0'; at++)
            sum += (uint64_t)fold(expression());
    return sum;
}
