/* Counts how often each word of a text occurs, in several threads: wordtally [THREADS]
 *
 * Each thread takes lines of the text. All count into one table, and hold its lock while they do
 * so: more harts do not make the program faster. Built with -DOWN_TABLES, each thread counts into a
 * table of its own, which is added to the common one at the end. Both print the same counts. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { LINES = 96, LINE_BYTES = 256, SLOTS = 256, THREADS_MAX = 16 };

struct table { char word[SLOTS][8]; unsigned long count[SLOTS]; };

static char text[LINES][LINE_BYTES];
static struct table common;
static pthread_mutex_t table_lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned next_line;

/* ---- the table ---- */

static unsigned hash_of(const char *word)
{
    unsigned hash = 5381;

    for (; *word != '\0'; word++)
        hash = hash * 33 + (unsigned char)*word;
    return hash % SLOTS;
}

static void add(struct table *table, const char *word, unsigned long count)
{
    unsigned slot = hash_of(word);

    while (table->count[slot] != 0 && strcmp(table->word[slot], word) != 0)
        slot = (slot + 1) % SLOTS;
    strcpy(table->word[slot], word);
    table->count[slot] += count;
}

static __attribute__((noinline)) void count_line(struct table *table, const char *line)
{
    char word[8];

    for (; *line != '\0'; line += strlen(word) + 1) {
        memccpy(word, line, ' ', sizeof word);
        word[strcspn(word, " ")] = '\0';
        add(table, word, 1);
    }
}

/* ---- threads ---- */

static const char *take_line(void)
{
    unsigned line = __atomic_fetch_add(&next_line, 1, __ATOMIC_RELAXED);

    return line < LINES ? text[line] : NULL;
}

#ifdef OWN_TABLES
static void *work(void *arg)
{
    struct table own = {.count = {0}};
    const char *line;

    while ((line = take_line()) != NULL)
        count_line(&own, line);
    pthread_mutex_lock(&table_lock);
    for (unsigned i = 0; i < SLOTS; i++)
        if (own.count[i] != 0)
            add(&common, own.word[i], own.count[i]);
    pthread_mutex_unlock(&table_lock);
    return arg;
}
#else
static void *work(void *arg)
{
    const char *line;

    while ((line = take_line()) != NULL) {
        pthread_mutex_lock(&table_lock);
        count_line(&common, line);
        pthread_mutex_unlock(&table_lock);
    }
    return arg;
}
#endif

/* ---- the program ---- */

/* Words of three letters, each line with a space after each of them. */
static void write_text(void)
{
    unsigned state = 1;

    for (unsigned line = 0; line < LINES; line++)
        for (unsigned at = 0; at + 4 < LINE_BYTES; at += 4) {
            state = state * 1664525u + 1013904223u;
            text[line][at] = (char)('a' + (state >> 24) % 4);
            text[line][at + 1] = (char)('a' + (state >> 20) % 4);
            text[line][at + 2] = (char)('a' + (state >> 16) % 4);
            text[line][at + 3] = ' ';
        }
}

static long microseconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

int main(int argc, char **argv)
{
    unsigned long words = 0, often = 0;
    int threads = argc > 1 ? atoi(argv[1]) : 4;
    pthread_t thread[THREADS_MAX];
    long start;

    threads = threads < 1 ? 1 : threads > THREADS_MAX ? THREADS_MAX : threads;
    write_text();
    start = microseconds();
    for (int i = 0; i < threads; i++)
        pthread_create(&thread[i], NULL, work, NULL);
    for (int i = 0; i < threads; i++)
        pthread_join(thread[i], NULL);
    for (unsigned i = 0; i < SLOTS; i++) {
        words += common.count[i];
        often = common.count[i] > often ? common.count[i] : often;
    }
    printf("%lu words, the most frequent one %lu times; %d threads: %ld us\n", words, often,
           threads, microseconds() - start);
    return 0;
}
