/* Huffman coding of a text: a priority queue, a tree, bits out and in, data-dependent branches. */
#include "bench.h"

enum { SYMBOLS = 64, NODES = 2 * SYMBOLS, TEXT = 4096, CODE = 2 * TEXT };

struct node { uint32_t count; int16_t child[2]; };

static struct node nodes[NODES];
static int16_t heap[SYMBOLS];
static int heap_length;
static uint32_t code_bits[SYMBOLS];
static uint8_t code_length[SYMBOLS];
static uint8_t text[TEXT], decoded[TEXT], code[CODE];

static void make_text(void)
{
    uint32_t state = 7;
    for (int i = 0; i < TEXT; i++) {                        /* small symbols are frequent */
        uint32_t a = bench_random(&state) % SYMBOLS, b = bench_random(&state) % SYMBOLS;
        text[i] = (uint8_t)(a * b / SYMBOLS);
    }
}

static int is_before(int16_t a, int16_t b)
{
    return nodes[a].count != nodes[b].count ? nodes[a].count < nodes[b].count : a < b;
}

static void heap_push(int16_t node)
{
    int at = heap_length++;
    for (; at > 0 && is_before(node, heap[(at - 1) / 2]); at = (at - 1) / 2)
        heap[at] = heap[(at - 1) / 2];
    heap[at] = node;
}

static int16_t heap_pop(void)
{
    int16_t top = heap[0], last = heap[--heap_length];
    int at = 0;
    for (int child = 1; child < heap_length; child = 2 * at + 1) {
        if (child + 1 < heap_length && is_before(heap[child + 1], heap[child]))
            child++;
        if (!is_before(heap[child], last))
            break;
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = last;
    return top;
}

static int16_t make_tree(void)
{
    int16_t next = SYMBOLS;
    for (int i = 0; i < SYMBOLS; i++)
        nodes[i] = (struct node){.child = {-1, -1}};
    for (int i = 0; i < TEXT; i++)
        nodes[text[i]].count++;
    for (int16_t i = 0; i < SYMBOLS; i++)
        heap_push(i);
    while (heap_length > 1) {
        int16_t a = heap_pop(), b = heap_pop();
        nodes[next] = (struct node){nodes[a].count + nodes[b].count, {a, b}};
        heap_push(next++);
    }
    return heap_pop();
}

static void assign(int16_t node, uint32_t bits, unsigned length)
{
    if (nodes[node].child[0] < 0) {
        code_bits[node] = bits;
        code_length[node] = (uint8_t)length;
        return;
    }
    assign(nodes[node].child[0], bits << 1, length + 1);
    assign(nodes[node].child[1], bits << 1 | 1, length + 1);
}

static uint32_t encode(void)
{
    uint32_t at = 0;
    for (int i = 0; i < CODE; i++)
        code[i] = 0;
    for (int i = 0; i < TEXT; i++)
        for (unsigned bit = code_length[text[i]]; bit-- > 0; at++)
            code[at / 8] |= (uint8_t)((code_bits[text[i]] >> bit & 1) << at % 8);
    return at;
}

static void decode(int16_t root)
{
    uint32_t at = 0;
    for (int i = 0; i < TEXT; i++) {
        int16_t node = root;
        for (; nodes[node].child[0] >= 0; at++)
            node = nodes[node].child[code[at / 8] >> at % 8 & 1];
        decoded[i] = (uint8_t)node;
    }
}

uint32_t bench_round(void)
{
    make_text();
    int16_t root = make_tree();
    assign(root, 0, 0);
    uint32_t sum = bench_mix(BENCH_BASIS, encode());
    decode(root);
    for (int i = 0; i < TEXT; i++)
        sum = decoded[i] == text[i] ? bench_mix(sum, decoded[i]) : 0;
    return sum;
}

BENCH(40, UINT32_C(684594348));
