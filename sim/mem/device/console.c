/* The host's side of the guest's console. Output appears when the guest waits for input or when a
 * line ends; input never blocks. */
#include <poll.h>
#include <unistd.h>

#include "sim/mem/device/devices.h"

int console_get(const struct console *console)
{
    struct pollfd request = {.fd = console->in, .events = POLLIN};
    if (console->in < 0 || poll(&request, 1, 0) <= 0) {
        return -1;
    }
    unsigned char character;
    return read(console->in, &character, 1) == 1 ? character : -1;
}

void console_put(const struct console *console, int character)
{
    fputc(character, console->out);
    if (character == '\n') {
        fflush(console->out);
    }
}
