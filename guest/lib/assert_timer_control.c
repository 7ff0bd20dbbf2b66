/* See assert_timer_control.h. */
#define _GNU_SOURCE
#include "assert_timer_control.h"

#include <stdlib.h>
#include <string.h>

enum { FIELDS = 4 };

static int digit_of(char letter)
{
    if (letter >= '0' && letter <= '9')
        return letter - '0';
    letter = (char)(letter | 0x20);
    return letter >= 'a' && letter <= 'f' ? letter - 'a' + 10 : -1;
}

/* Replaces each %XX by its byte, in place. */
static void decode(char *text)
{
    char *to = text;

    while (*text != '\0') {
        int high = text[0] == '%' ? digit_of(text[1]) : -1;
        int low = high >= 0 ? digit_of(text[2]) : -1;

        if (low >= 0 && (high | low) != 0) {
            *to++ = (char)(high << 4 | low);
            text += 3;
        } else {
            *to++ = *text++;
        }
    }
    *to = '\0';
}

/* False: not a number. Larger numbers become UINT64_MAX. */
static bool read_number(const char *text, const char **end, uint64_t *value)
{
    const char *at = text;

    for (*value = 0; *at >= '0' && *at <= '9'; at++) {
        uint64_t digit = (uint64_t)(*at - '0');

        *value = *value > (UINT64_MAX - digit) / 10 ? UINT64_MAX : *value * 10 + digit;
    }
    *end = at;
    return at > text;
}

/* False: not a threshold. */
static bool read_threshold(const char *text, uint64_t *ns)
{
    static const struct { const char *name; uint64_t ns; } unit[] = {
        {"ns", 1}, {"us", ASSERT_TIMER_US}, {"ms", ASSERT_TIMER_MS}, {"s", ASSERT_TIMER_S},
        {"", 0}, {"K", 0}, {"M", 0}, {"G", 0},          /* cycles */
    };
    uint64_t number;

    *ns = 0;
    if (strcmp(text, "-") == 0)
        return true;
    if (!read_number(text, &text, &number))
        return false;
    for (size_t i = 0; i < sizeof unit / sizeof unit[0]; i++) {
        if (strcmp(text, unit[i].name) == 0) {
            *ns = unit[i].ns != 0 && number > UINT64_MAX / unit[i].ns ? UINT64_MAX
                                                                      : number * unit[i].ns;
            return true;
        }
    }
    return false;
}

static bool read_detail(const char *text, enum assert_timer_detail *detail)
{
    static const char *const name[] = {"none", "light", "full"};

    for (unsigned i = 0; i < sizeof name / sizeof name[0]; i++) {
        if (strcmp(text, name[i]) == 0) {
            *detail = (enum assert_timer_detail)i;
            return true;
        }
    }
    return false;
}

/* Reads a line, which it cuts into fields. False: it has another form. */
static bool read_line(char *line, struct control_tag *tag)
{
    char *field[FIELDS], *rest = line;
    const char *end;

    for (unsigned i = 0; i < FIELDS; i++)
        field[i] = rest != NULL ? strsep(&rest, " ") : NULL;
    if (field[FIELDS - 1] == NULL || rest != NULL || *field[0] == '\0' ||
        !read_threshold(field[1], &tag->threshold_ns) || !read_detail(field[2], &tag->detail) ||
        !read_number(field[3], &end, &tag->times) || *end != '\0')
        return false;
    decode(field[0]);
    tag->tag = field[0];
    if (tag->times == 0)
        tag->detail = ASSERT_TIMER_NONE;
    return true;
}

static int compare(const void *a, const void *b)
{
    const struct control_tag *x = a, *y = b;

    return strcmp(x->tag, y->tag);
}

struct control *control_read(const char *text)
{
    struct control *control = calloc(1, sizeof *control);
    size_t lines = 1;
    char *rest, *line;

    for (const char *at = text; *at != '\0'; at++)
        lines += *at == '\n';
    if (control == NULL)
        return NULL;
    control->text = strdup(text);
    control->tag = calloc(lines, sizeof *control->tag);
    if (control->text == NULL || control->tag == NULL) {
        control_free(control);
        return NULL;
    }
    rest = control->text;
    while ((line = strsep(&rest, "\n")) != NULL)
        control->tags += read_line(line, &control->tag[control->tags]);
    qsort(control->tag, control->tags, sizeof *control->tag, compare);
    return control;
}

void control_free(struct control *control)
{
    if (control == NULL)
        return;
    free(control->text);
    free(control->tag);
    free(control);
}

const struct control_tag *control_find(const struct control *control, const char *tag)
{
    const struct control_tag key = {.tag = tag}, others = {.tag = "*"}, *found;

    if (control == NULL)
        return NULL;
    found = bsearch(&key, control->tag, control->tags, sizeof key, compare);
    return found != NULL ? found
                         : bsearch(&others, control->tag, control->tags, sizeof others, compare);
}
