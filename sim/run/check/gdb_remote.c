/* gdb's remote protocol: packets, and the few requests a lock-step check makes. */
#include "sim/run/check/gdb_remote.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PACKET = 16384, WRITE_BYTES = 1024, NAME = 24, XML_MAX = 1 << 20 };

struct named { char name[NAME]; int number; };

struct gdb_remote {
    int fd;
    unsigned char input[PACKET];
    size_t input_at, input_end;
    char packet[PACKET];            /* the last answer */
    struct named *name;
    size_t names, capacity;
    unsigned thread;                /* selected */
    int next_number;                /* number of the next register described without one */
};

/* ---- packets --------------------------------------------------------------------------------- */

static int get_byte(struct gdb_remote *remote)
{
    if (remote->input_at == remote->input_end) {
        ssize_t got = read(remote->fd, remote->input, sizeof remote->input);
        if (got <= 0)
            return -1;
        remote->input_at = 0;
        remote->input_end = (size_t)got;
    }
    return remote->input[remote->input_at++];
}

static bool put_bytes(struct gdb_remote *remote, const char *bytes, size_t count)
{
    while (count != 0) {
        ssize_t put = write(remote->fd, bytes, count);
        if (put <= 0)
            return false;
        bytes += put;
        count -= (size_t)put;
    }
    return true;
}

static bool send_packet(struct gdb_remote *remote, const char *text)
{
    char framed[PACKET];
    unsigned char sum = 0;
    int length;

    for (const char *at = text; *at != '\0'; at++)
        sum = (unsigned char)(sum + (unsigned char)*at);
    length = snprintf(framed, sizeof framed, "$%s#%02x", text, sum);
    return length < (int)sizeof framed && put_bytes(remote, framed, (size_t)length);
}

/* Leaves the answer in remote->packet. An escaped byte follows '}'. */
static bool receive_packet(struct gdb_remote *remote)
{
    size_t length = 0;
    int byte;

    do {
        byte = get_byte(remote);
        if (byte < 0)
            return false;
    } while (byte != '$');
    while ((byte = get_byte(remote)) != '#') {
        if (byte == '}')
            byte = get_byte(remote) ^ 0x20;
        if (byte < 0 || length + 1 >= sizeof remote->packet)
            return false;
        remote->packet[length++] = (char)byte;
    }
    remote->packet[length] = '\0';
    return get_byte(remote) >= 0 && get_byte(remote) >= 0 && put_bytes(remote, "+", 1);
}

static bool ask(struct gdb_remote *remote, const char *request)
{
    return send_packet(remote, request) && receive_packet(remote);
}

static bool ask_ok(struct gdb_remote *remote, const char *request)
{
    return ask(remote, request) && strcmp(remote->packet, "OK") == 0;
}

/* ---- the description of the registers -------------------------------------------------------- */

static bool attribute(const char *element, const char *name, char *value, size_t bytes)
{
    const char *end = strchr(element, '>'), *at = strstr(element, name);
    size_t length;

    if (at == NULL || end == NULL || at > end)
        return false;
    at += strlen(name);
    length = strcspn(at, "\"'");
    snprintf(value, bytes, "%.*s", (int)length, at);
    return true;
}

static bool add_register(struct gdb_remote *remote, const char *element)
{
    char number[NAME];
    struct named *named;

    if (remote->names == remote->capacity) {
        size_t capacity = remote->capacity == 0 ? 256 : 2 * remote->capacity;
        named = realloc(remote->name, capacity * sizeof *named);
        if (named == NULL)
            return false;
        remote->name = named;
        remote->capacity = capacity;
    }
    named = &remote->name[remote->names++];
    if (!attribute(element, " name=\"", named->name, sizeof named->name))
        return false;
    if (attribute(element, " regnum=\"", number, sizeof number))
        remote->next_number = (int)strtol(number, NULL, 10);
    named->number = remote->next_number++;
    return true;
}

static char *read_annex(struct gdb_remote *remote, const char *name)
{
    char request[128], *text = calloc(1, XML_MAX);
    size_t length = 0;

    while (text != NULL) {
        snprintf(request, sizeof request, "qXfer:features:read:%.80s:%zx,%x", name, length, 2000);
        if (!ask(remote, request) || (remote->packet[0] != 'l' && remote->packet[0] != 'm') ||
            length + strlen(remote->packet) >= XML_MAX) {
            free(text);
            return NULL;
        }
        strcpy(text + length, remote->packet + 1);
        length += strlen(remote->packet + 1);
        if (remote->packet[0] == 'l')
            break;
    }
    return text;
}

static bool read_registers(struct gdb_remote *remote, const char *name, bool is_top)
{
    char *text = read_annex(remote, name), part[80];
    bool is_fine = text != NULL;

    for (const char *at = text; is_fine && (at = strchr(at, '<')) != NULL; at++) {
        if (strncmp(at, "<reg ", 5) == 0)
            is_fine = add_register(remote, at);
        else if (is_top && strncmp(at, "<xi:include ", 12) == 0)
            is_fine = attribute(at, " href=\"", part, sizeof part) &&
                      read_registers(remote, part, false);
    }
    free(text);
    return is_fine;
}

struct gdb_remote *gdb_remote_new(int fd)
{
    struct gdb_remote *remote = calloc(1, sizeof *remote);

    if (remote == NULL)
        return NULL;
    remote->fd = fd;
    if (!ask(remote, "qSupported:xmlRegisters=riscv") || !ask(remote, "?") ||
        !read_registers(remote, "target.xml", true)) {
        gdb_remote_free(remote);
        return NULL;
    }
    return remote;
}

void gdb_remote_free(struct gdb_remote *remote)
{
    if (remote == NULL)
        return;
    free(remote->name);
    free(remote);
}

int gdb_remote_register(const struct gdb_remote *remote, const char *name)
{
    for (size_t i = 0; i < remote->names; i++)
        if (strcmp(remote->name[i].name, name) == 0)
            return remote->name[i].number;
    return -1;
}

/* ---- values ---------------------------------------------------------------------------------- */

static bool parse_little_endian(const char *text, uint64_t *value)
{
    *value = 0;
    for (unsigned i = 0; i < 8 && text[0] != '\0' && text[1] != '\0'; i++, text += 2) {
        const char digits[3] = {text[0], text[1], '\0'};
        char *end;
        unsigned long byte = strtoul(digits, &end, 16);
        if (*end != '\0')
            return false;
        *value |= (uint64_t)byte << 8 * i;
    }
    return true;
}

bool gdb_remote_get(struct gdb_remote *remote, int number, uint64_t *value)
{
    char request[32];

    snprintf(request, sizeof request, "p%x", (unsigned)number);
    return number >= 0 && ask(remote, request) && remote->packet[0] != 'E' &&
           remote->packet[0] != '\0' && parse_little_endian(remote->packet, value);
}

bool gdb_remote_set(struct gdb_remote *remote, int number, uint64_t value)
{
    char request[64];
    int length = snprintf(request, sizeof request, "P%x=", (unsigned)number);

    for (unsigned i = 0; i < 8; i++)
        length += snprintf(request + length, sizeof request - (size_t)length, "%02x",
                           (unsigned)(value >> 8 * i & 0xff));
    return number >= 0 && ask_ok(remote, request);
}

bool gdb_remote_get_integers(struct gdb_remote *remote, unsigned xlen, uint64_t value[33])
{
    size_t digits = xlen / 4;
    char text[17] = "";

    if (!ask(remote, "g") || strlen(remote->packet) < 33 * digits)
        return false;
    for (unsigned i = 0; i < 33; i++) {
        memcpy(text, remote->packet + i * digits, digits);
        if (!parse_little_endian(text, &value[i]))
            return false;
    }
    return true;
}

bool gdb_remote_use_physical(struct gdb_remote *remote)
{
    return ask_ok(remote, "Qqemu.PhyMemMode:1");
}

bool gdb_remote_write(struct gdb_remote *remote, uint64_t address, const uint8_t *bytes,
                      size_t count)
{
    char request[2 * WRITE_BYTES + 64];

    while (count != 0) {
        size_t part = count < WRITE_BYTES ? count : WRITE_BYTES;
        int length = snprintf(request, sizeof request, "M%" PRIx64 ",%zx:", address, part);
        for (size_t i = 0; i < part; i++, length += 2)
            snprintf(request + length, 3, "%02x", bytes[i]);
        if (!ask_ok(remote, request))
            return false;
        address += part;
        bytes += part;
        count -= part;
    }
    return true;
}

/* Threads are numbered from 1 on. */
bool gdb_remote_select(struct gdb_remote *remote, unsigned hart)
{
    char request[32];

    snprintf(request, sizeof request, "Hg%x", hart + 1);
    remote->thread = hart + 1;
    return ask_ok(remote, request);
}

bool gdb_remote_step(struct gdb_remote *remote, bool is_alone)
{
    char request[32] = "s";

    if (is_alone)
        snprintf(request, sizeof request, "vCont;s:%x", remote->thread);
    return ask(remote, request) && (remote->packet[0] == 'T' || remote->packet[0] == 'S');
}
