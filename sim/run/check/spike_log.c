/* See spike_log.h. */
#include "sim/run/check/spike_log.h"

#include <stdlib.h>
#include <string.h>

enum { LINE = 512, QUEUE_FIRST = 64, QUEUE_MAX = 1 << 17 };

/* A ring; the capacity is a power of two. */
struct spike_queue {
    struct spike_line *line;
    size_t first, used, capacity;
};

bool spike_log_init(struct spike_log *log, FILE *file, unsigned harts)
{
    *log = (struct spike_log){
        .file = file, .harts = harts, .queue = calloc(harts, sizeof log->queue[0]),
    };
    return log->queue != NULL;
}

void spike_log_free(struct spike_log *log)
{
    for (unsigned i = 0; log->queue != NULL && i < log->harts; i++)
        free(log->queue[i].line);
    free(log->queue);
    if (log->file != NULL)
        fclose(log->file);
}

static bool grow(struct spike_queue *queue)
{
    size_t capacity = queue->capacity == 0 ? QUEUE_FIRST : 2 * queue->capacity;
    struct spike_line *line = capacity <= QUEUE_MAX ? calloc(capacity, sizeof *line) : NULL;

    if (line == NULL)
        return false;
    for (size_t i = 0; i < queue->used; i++)
        line[i] = queue->line[(queue->first + i) & (queue->capacity - 1)];
    free(queue->line);
    *queue = (struct spike_queue){.line = line, .used = queue->used, .capacity = capacity};
    return true;
}

static bool append(struct spike_queue *queue, const struct spike_line *line)
{
    if (queue->used == queue->capacity && !grow(queue))
        return false;
    queue->line[(queue->first + queue->used++) & (queue->capacity - 1)] = *line;
    return true;
}

/* The line after that of a page fault. */
static uint64_t read_tval(struct spike_log *log)
{
    char text[LINE];
    const char *at = fgets(text, sizeof text, log->file);

    at = at != NULL ? strstr(at, "tval 0x") : NULL;
    return at != NULL ? strtoull(at + 5, NULL, 16) : 0;
}

/* Reads one line of the log. False: log->end has the reason. */
static bool read_line(struct spike_log *log)
{
    struct spike_line line;
    char text[LINE];

    if (fgets(text, sizeof text, log->file) == NULL) {
        log->end = SPIKE_ENDS;
        return false;
    }
    if (strncmp(text, "core", 4) != 0 && log->says[0] == '\0')
        snprintf(log->says, sizeof log->says, "%.100s", text);
    if (!spike_line_parse(&line, text) || line.hart >= log->harts)
        return true;
    if (line.is_page_fault)
        line.tval = read_tval(log);
    if (append(&log->queue[line.hart], &line))
        return true;
    log->end = SPIKE_FAR_AHEAD;
    return false;
}

const struct spike_line *spike_log_peek(struct spike_log *log, unsigned hart)
{
    struct spike_queue *queue = &log->queue[hart];

    while (queue->used == 0)
        if (log->end != SPIKE_GOES_ON || !read_line(log))
            return NULL;
    return &queue->line[queue->first];
}

void spike_log_take(struct spike_log *log, unsigned hart)
{
    struct spike_queue *queue = &log->queue[hart];

    if (queue->used == 0)
        return;
    queue->first = (queue->first + 1) & (queue->capacity - 1);
    queue->used--;
}
