/* The first line of a script. Source: execve(2). */
#include "process/script.h"
#include "file/file.h"

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static char *skip_blanks(char *at)
{
    while (is_blank(*at))
        at++;
    return at;
}

/* Blanks at the end of the line do not count. */
static void end_line(char *line, uint64_t bytes)
{
    uint64_t end = 0;

    while (end < bytes && line[end] != '\n' && line[end] != 0)
        end++;
    while (end > 0 && is_blank(line[end - 1]))
        end--;
    line[end] = 0;
}

static int64_t split(struct script *script)
{
    char *at = skip_blanks(script->line + 2);

    script->interpreter = at;
    script->argument = NULL;
    while (*at != 0 && !is_blank(*at))
        at++;
    if (*at != 0) {
        *at = 0;
        script->argument = skip_blanks(at + 1);
    }
    return script->interpreter[0] != 0 ? 1 : -ENOEXEC;
}

int64_t script_read(int64_t handle, struct script *script)
{
    uint64_t pa = frame_new();

    if (pa == 0)
        return -ENOMEM;
    if (host_simple(KERNEL_OP_READ_PAGE, (uint64_t)handle, 0, pa, PAGE_BYTES) <= 0)
        script->line[0] = 0;
    else
        memcpy(script->line, at_pa(pa), sizeof script->line);
    frame_free(pa);
    if (script->line[0] != '#' || script->line[1] != '!')
        return 0;
    end_line(script->line, sizeof script->line - 1);
    return split(script);
}
