/* See terminal.h. */
#include "sim/cli/terminal/terminal.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { ESCAPE = 27, ERASE = 127, BACKSPACE = 8, ROWS = 24, COLUMNS = 80, DIGITS = 6,
       KEY_WAIT = 60000 };

bool terminal_open(struct terminal *terminal, FILE *out)
{
    const char *kind = getenv("TERM");
    struct termios raw;

    *terminal = (struct terminal){.out = out};
    if (!isatty(fileno(out)) || kind == NULL || strcmp(kind, "dumb") == 0)
        return false;
    terminal->has_keys = tcgetattr(STDIN_FILENO, &terminal->before) == 0;
    if (terminal->has_keys) {
        raw = terminal->before;
        raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
        raw.c_cc[VSUSP] = raw.c_cc[VQUIT] = _POSIX_VDISABLE;
        tcsetattr(STDIN_FILENO, TCSANOW, &raw);
    }
    terminal->is_open = true;
    fputs("\033[?1049h\033[?25l", out);
    fflush(out);
    return true;
}

void terminal_close(struct terminal *terminal)
{
    if (!terminal->is_open)
        return;
    terminal->is_open = false;
    if (terminal->has_keys)
        tcsetattr(STDIN_FILENO, TCSANOW, &terminal->before);
    fputs("\033[?25h\033[?1049l", terminal->out);
    fflush(terminal->out);
}

void terminal_clear(struct terminal *terminal)
{
    fputs("\033[H\033[J", terminal->out);
}

void terminal_size(const struct terminal *terminal, unsigned *rows, unsigned *columns)
{
    struct winsize size;
    bool is_known = ioctl(fileno(terminal->out), TIOCGWINSZ, &size) == 0 && size.ws_row != 0 &&
                    size.ws_col != 0;

    *rows = is_known ? size.ws_row : ROWS;
    *columns = is_known ? size.ws_col : COLUMNS;
}

char terminal_key(const struct terminal *terminal, unsigned milliseconds)
{
    struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
    char key = 0;

    if (!terminal->is_open || !terminal->has_keys || poll(&input, 1, (int)milliseconds) <= 0)
        return 0;
    return read(STDIN_FILENO, &key, 1) == 1 ? key : 0;
}

bool terminal_ask(struct terminal *terminal, const char *question, unsigned *number)
{
    char text[DIGITS + 1] = "";
    size_t length = 0;
    char key = 0;

    while (key != '\n' && key != '\r') {
        fprintf(terminal->out, "\r\033[K%s: %s", question, text);
        fflush(terminal->out);
        key = terminal_key(terminal, KEY_WAIT);
        if (key == 0 || key == ESCAPE)
            return false;
        if ((key == ERASE || key == BACKSPACE) && length != 0)
            text[--length] = '\0';
        if (key >= '0' && key <= '9' && length < DIGITS) {
            text[length++] = key;
            text[length] = '\0';
        }
    }
    *number = (unsigned)strtoul(text, NULL, 10);
    return length != 0;
}
