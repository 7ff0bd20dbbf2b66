/* wordindex: builds an inverted index of a text and answers queries on it.
 *
 * A program of ordinary shape for the profiling demonstration: it reads a file, or a text of its
 * own, cuts it into words, keeps them in a hash table, compresses their positions, sorts by
 * frequency, answers queries. One routine, compare_words, is reached from three different places;
 * a plain count says it is hot, only the callers say why. Prints the same on every machine. */
#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BUCKETS = 1021, TEXT_BYTES = 60000, WORD_BYTES = 32, TOP = 8 };

struct positions {
    uint8_t *bytes;             /* differences, seven bits a byte, high bit = more follows */
    size_t length, capacity;
    uint32_t last;
};

struct word {
    struct word *next;          /* in its bucket */
    char *text;
    uint32_t count;
    struct positions positions;
};

struct index {
    struct word *bucket[BUCKETS];
    struct word **sorted;
    uint32_t words;             /* distinct */
    uint32_t length;            /* of the text, in words */
};

static void *must(void *memory)
{
    if (memory == NULL) {
        fputs("wordindex: out of memory\n", stderr);
        exit(3);
    }
    return memory;
}

/* ---- text ------------------------------------------------------------------------------------ */

static uint32_t random_next(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

/* A text whose word frequencies fall off like those of a natural one. */
static char *make_text(size_t bytes)
{
    static const char *const syllable[] = {
        "ra", "men", "to", "li", "sa", "qua", "ver", "di",
        "no", "tis", "per", "am", "cu", "lo", "bra", "ex",
    };
    char *text = must(malloc(bytes + WORD_BYTES));
    uint32_t state = 12345;
    size_t length = 0;
    while (length < bytes) {
        uint32_t spread = random_next(&state) % 512 + 1;
        uint32_t rank = random_next(&state) % spread;
        for (uint32_t rest = rank * 2654435761u >> 4 | 1u << 6; rest > 15; rest >>= 4) {
            const char *part = syllable[rest & 15];
            size_t part_length = strlen(part);
            if (rest > 1u << 20)
                continue;
            memcpy(text + length, part, part_length);
            length += part_length;
        }
        text[length++] = rank % 11 == 0 ? '\n' : ' ';
    }
    text[length] = '\0';
    return text;
}

static char *read_text(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        perror(path);
        exit(2);
    }
    size_t capacity = 4096, length = 0, got;
    char *text = must(malloc(capacity + 1));
    while ((got = fread(text + length, 1, capacity - length, file)) != 0) {
        length += got;
        if (length == capacity)
            text = must(realloc(text, (capacity *= 2) + 1));
    }
    fclose(file);
    text[length] = '\0';
    return text;
}

/* The next word of *cursor in lower case, or 0 at the end of the text. */
static size_t next_word(const char **cursor, char word[WORD_BYTES])
{
    const char *at = *cursor;
    size_t length = 0;
    while (*at != '\0' && !isalnum((unsigned char)*at))
        at++;
    for (; isalnum((unsigned char)*at); at++)
        if (length < WORD_BYTES - 1)
            word[length++] = (char)tolower((unsigned char)*at);
    word[length] = '\0';
    *cursor = at;
    return length;
}

/* ---- position lists -------------------------------------------------------------------------- */

static void positions_append(struct positions *list, uint32_t position)
{
    uint32_t delta = position - list->last;
    list->last = position;
    if (list->length + 5 > list->capacity) {
        list->capacity = list->capacity == 0 ? 16 : list->capacity * 2;
        list->bytes = must(realloc(list->bytes, list->capacity));
    }
    for (; delta >= 128; delta >>= 7)
        list->bytes[list->length++] = (uint8_t)(delta | 128);
    list->bytes[list->length++] = (uint8_t)delta;
}

/* Advances *offset past one position and returns it, given the previous one. */
static uint32_t positions_next(const struct positions *list, size_t *offset, uint32_t previous)
{
    uint32_t delta = 0;
    unsigned shift = 0;
    uint8_t byte;
    do {
        byte = list->bytes[(*offset)++];
        delta |= (uint32_t)(byte & 127) << shift;
        shift += 7;
    } while (byte & 128);
    return previous + delta;
}

/* ---- the index ------------------------------------------------------------------------------- */

/* The routine under observation. */
__attribute__((noinline)) int compare_words(const char *a, const char *b)
{
    while (*a != '\0' && *a == *b) {
        a++;
        b++;
    }
    return (unsigned char)*a - (unsigned char)*b;
}

static uint32_t hash_word(const char *text)
{
    uint32_t hash = 2166136261u;
    for (; *text != '\0'; text++)
        hash = (hash ^ (unsigned char)*text) * 16777619u;
    return hash % BUCKETS;
}

__attribute__((noinline)) struct word *lookup(struct index *index, const char *text)
{
    for (struct word *word = index->bucket[hash_word(text)]; word != NULL; word = word->next)
        if (compare_words(word->text, text) == 0)
            return word;
    return NULL;
}

static struct word *insert(struct index *index, const char *text)
{
    struct word *word = must(calloc(1, sizeof *word));
    struct word **bucket = &index->bucket[hash_word(text)];
    word->text = must(strdup(text));
    word->next = *bucket;
    *bucket = word;
    index->words++;
    return word;
}

__attribute__((noinline)) void build(struct index *index, const char *text)
{
    char buffer[WORD_BYTES];
    while (next_word(&text, buffer) != 0) {
        struct word *word = lookup(index, buffer);
        if (word == NULL)
            word = insert(index, buffer);
        word->count++;
        positions_append(&word->positions, ++index->length);
    }
}

/* ---- sorting --------------------------------------------------------------------------------- */

static int is_before(const struct word *a, const struct word *b)
{
    if (a->count != b->count)
        return a->count > b->count;
    return compare_words(a->text, b->text) < 0;
}

static void sift_down(struct word **heap, uint32_t root, uint32_t count)
{
    for (uint32_t child; (child = 2 * root + 1) < count; root = child) {
        if (child + 1 < count && is_before(heap[child], heap[child + 1]))
            child++;
        if (!is_before(heap[root], heap[child]))
            return;
        struct word *swap = heap[root];
        heap[root] = heap[child];
        heap[child] = swap;
    }
}

__attribute__((noinline)) void sort_words(struct index *index)
{
    uint32_t count = 0;
    index->sorted = must(malloc(index->words * sizeof *index->sorted));
    for (uint32_t i = 0; i < BUCKETS; i++)
        for (struct word *word = index->bucket[i]; word != NULL; word = word->next)
            index->sorted[count++] = word;
    for (uint32_t root = count / 2; root-- > 0;)
        sift_down(index->sorted, root, count);
    for (uint32_t end = count; end-- > 1;) {
        struct word *swap = index->sorted[0];
        index->sorted[0] = index->sorted[end];
        index->sorted[end] = swap;
        sift_down(index->sorted, 0, end);
    }
}

/* ---- queries --------------------------------------------------------------------------------- */

/* How often `second` follows `first` directly. */
__attribute__((noinline)) uint32_t count_phrase(struct index *index, const char *first,
                                                const char *second)
{
    const struct word *a = lookup(index, first), *b = lookup(index, second);
    uint32_t found = 0, at_a = 0, at_b = 0, left;
    size_t offset_a = 0, offset_b = 0;
    if (a == NULL || b == NULL)
        return 0;
    left = a->count;
    at_b = positions_next(&b->positions, &offset_b, 0);
    while (left-- != 0) {
        at_a = positions_next(&a->positions, &offset_a, at_a);
        while (at_b <= at_a && offset_b < b->positions.length)
            at_b = positions_next(&b->positions, &offset_b, at_b);
        found += at_b == at_a + 1;
    }
    return found;
}

__attribute__((noinline)) uint32_t query_all(struct index *index)
{
    uint32_t total = 0, limit = index->words < 48 ? index->words : 48;
    for (uint32_t i = 0; i < limit; i++)
        for (uint32_t j = 0; j < limit; j++)
            total += count_phrase(index, index->sorted[i]->text, index->sorted[j]->text);
    return total;
}

static void report(const struct index *index, uint32_t phrases)
{
    size_t bytes = 0;
    for (uint32_t i = 0; i < index->words; i++)
        bytes += index->sorted[i]->positions.length;
    printf("%u words, %u distinct, positions in %zu bytes\n", index->length, index->words, bytes);
    for (uint32_t i = 0; i < TOP && i < index->words; i++)
        printf("%6u %s\n", index->sorted[i]->count, index->sorted[i]->text);
    printf("%u phrases of frequent words\n", phrases);
}

static void index_free(struct index *index)
{
    for (uint32_t i = 0; i < index->words; i++) {
        free(index->sorted[i]->positions.bytes);
        free(index->sorted[i]->text);
        free(index->sorted[i]);
    }
    free(index->sorted);
}

int main(int argc, char **argv)
{
    static struct index index;
    char *text = argc > 1 ? read_text(argv[1]) : make_text(TEXT_BYTES);
    build(&index, text);
    sort_words(&index);
    report(&index, query_all(&index));
    index_free(&index);
    free(text);
    return 0;
}
