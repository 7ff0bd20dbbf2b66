/* A list, a balanced tree and a hash table of the same keys: pointers followed, nodes relinked. */
#include "bench.h"

enum { COUNT = 512, BUCKETS = 128 };

struct node {
    uint32_t key, priority;
    struct node *next;                  /* in the list */
    struct node *chain;                 /* in its bucket */
    struct node *left, *right;          /* in the tree: keys ordered, priorities a heap */
};

static struct node nodes[COUNT];
static struct node *list, *bucket[BUCKETS], *tree;

static void reset(void)
{
    uint32_t state = 5;
    list = tree = NULL;
    for (int i = 0; i < BUCKETS; i++)
        bucket[i] = NULL;
    for (int i = 0; i < COUNT; i++)
        nodes[i] = (struct node){.key = bench_random(&state), .priority = bench_random(&state)};
}

static void list_insert(struct node *node, uint32_t limit)
{
    struct node **at = &list;
    for (uint32_t steps = 0; *at != NULL && (*at)->key < node->key && steps < limit; steps++)
        at = &(*at)->next;
    node->next = *at;
    *at = node;
}

static void list_reverse(void)
{
    struct node *reversed = NULL;
    while (list != NULL) {
        struct node *rest = list->next;
        list->next = reversed;
        reversed = list;
        list = rest;
    }
    list = reversed;
}

static void hash_insert(struct node *node)
{
    struct node **at = &bucket[node->key % BUCKETS];
    node->chain = *at;
    *at = node;
}

static const struct node *hash_find(uint32_t key)
{
    const struct node *node = bucket[key % BUCKETS];
    while (node != NULL && node->key != key)
        node = node->chain;
    return node;
}

static struct node *tree_insert(struct node *root, struct node *node)
{
    if (root == NULL)
        return node;
    struct node **side = node->key < root->key ? &root->left : &root->right;
    struct node *child = *side = tree_insert(*side, node);
    if (child->priority <= root->priority)
        return root;
    if (side == &root->left) {
        root->left = child->right;
        child->right = root;
    } else {
        root->right = child->left;
        child->left = root;
    }
    return child;
}

static uint32_t tree_walk(const struct node *root, uint32_t sum)
{
    if (root == NULL)
        return sum;
    sum = bench_mix(tree_walk(root->left, sum), root->key);
    return tree_walk(root->right, sum);
}

uint32_t bench_round(void)
{
    uint32_t sum = BENCH_BASIS;
    reset();
    for (int i = 0; i < COUNT; i++) {
        list_insert(&nodes[i], 32);
        hash_insert(&nodes[i]);
        tree = tree_insert(tree, &nodes[i]);
    }
    list_reverse();
    for (const struct node *node = list; node != NULL; node = node->next)
        sum = bench_mix(sum, hash_find(node->key) == node ? node->key : 0);
    for (uint32_t key = 0; key < COUNT; key++)
        sum += hash_find(key * 8388617u) != NULL;
    return tree_walk(tree, sum);
}

BENCH(130, UINT32_C(1941484459));
