/* Names of sockets. Source: unix(7), ip(7), ipv6(7). */
#include "process/process.h"
#include "socket/socket.h"

/* Offsets in struct sockaddr_in and sockaddr_in6; a name of unix(7) follows the family. */
enum { AT_PORT = 2, AT_PATH = 2, AT_V4 = 4, AT_V6 = 8, V4_BYTES = 16, V6_BYTES = 28,
       LOCAL_BYTES = 110 };

static uint16_t port_of(const uint8_t *text)
{
    return (uint16_t)(text[AT_PORT] << 8 | text[AT_PORT + 1]);
}

/* Zeros, perhaps with `last` at the end. */
static bool is_small(const uint8_t *at, unsigned bytes, uint8_t last)
{
    unsigned i;

    for (i = 0; i + 1 < bytes; i++)
        if (at[i] != 0)
            return false;
    return at[i] == last;
}

/* An IPv4 address in IPv6 has two bytes of ones in front of it. */
static const uint8_t *v4_of(const struct address *address)
{
    const uint8_t *v6 = address->text + AT_V6;

    if (address->family == FAMILY_INET)
        return address->text + AT_V4;
    return is_small(v6, 10, 0) && v6[10] == 0xff && v6[11] == 0xff ? v6 + 12 : NULL;
}

/* "Any" of IPv6 is reached by both. */
static unsigned protocols_of(const struct address *address)
{
    if (address->family == FAMILY_LOCAL)
        return 0;
    if (address->family == FAMILY_INET || v4_of(address) != NULL)
        return REACHES_V4;
    return is_small(address->text + AT_V6, 16, 0) ? REACHES_V4 | REACHES_V6 : REACHES_V6;
}

int64_t address_read(uint64_t va, uint64_t bytes, struct address *address)
{
    uint16_t family;

    memset(address, 0, sizeof *address);
    if ((uint32_t)bytes > ADDRESS_BYTES || (uint32_t)bytes < sizeof family)
        return -EINVAL;
    if (!user_read(va, address->text, (uint32_t)bytes))
        return -EFAULT;
    memcpy(&family, address->text, sizeof family);
    address->family = family;
    address->bytes = (uint32_t)bytes;
    if ((family == FAMILY_INET && bytes < V4_BYTES) ||
        (family == FAMILY_INET6 && bytes < V6_BYTES) ||
        (family == FAMILY_LOCAL && bytes > LOCAL_BYTES))
        return -EINVAL;
    if (family != FAMILY_LOCAL)
        address->port = port_of(address->text);
    address->protocols = protocols_of(address);
    return 0;
}

int64_t address_write(const struct address *address, uint64_t va, uint64_t bytes_va)
{
    uint32_t room, bytes = address->bytes;

    if (va == 0)
        return 0;
    if (!user_read(bytes_va, &room, sizeof room))
        return -EFAULT;
    if ((int32_t)room < 0)
        return -EINVAL;
    return user_write(va, address->text, room < bytes ? room : bytes) &&
                   user_write(bytes_va, &bytes, sizeof bytes) ? 0 : -EFAULT;
}

bool address_is_here(const struct address *address)
{
    const uint8_t *v6 = address->text + AT_V6;

    if (address->family == FAMILY_LOCAL)
        return true;
    if (address->family != FAMILY_INET && address->family != FAMILY_INET6)
        return false;
    if (v4_of(address) != NULL)
        return v4_of(address)[0] == 127 || is_small(v4_of(address), 4, 0);
    return is_small(v6, 16, 1) || is_small(v6, 16, 0);
}

void address_set_port(struct address *address, uint16_t port)
{
    address->port = port;
    address->text[AT_PORT] = (uint8_t)(port >> 8);
    address->text[AT_PORT + 1] = (uint8_t)port;
}

struct address address_of(uint16_t family, uint16_t port)
{
    struct address address = {.family = family, .bytes = sizeof family};

    memcpy(address.text, &family, sizeof family);
    if (family == FAMILY_LOCAL)
        return address;
    address_set_port(&address, port);
    address.bytes = family == FAMILY_INET ? V4_BYTES : V6_BYTES;
    if (family == FAMILY_INET)
        address.text[AT_V4] = 127;
    address.text[family == FAMILY_INET ? AT_V4 + 3 : AT_V6 + 15] = 1;
    address.protocols = protocols_of(&address);
    return address;
}

static bool is_abstract(const struct address *address)
{
    return address->family == FAMILY_LOCAL && address->bytes > AT_PATH &&
           address->text[AT_PATH] == 0;
}

int64_t address_find_node(struct address *address, bool is_new)
{
    char path[ADDRESS_BYTES] = "";
    int64_t node;

    if (is_abstract(address))
        return 0;
    if (address->bytes <= AT_PATH)
        return -EINVAL;
    memcpy(path, address->text + AT_PATH, address->bytes - AT_PATH);
    node = host_simple(KERNEL_OP_SOCKET_NAME, pa_of(path), is_new, 0, 0);
    if (node < 0)
        return node;
    address->node = (uint64_t)node;
    return 0;
}

bool address_is_same(const struct address *one, const struct address *other)
{
    uint32_t i;

    if ((one->family == FAMILY_LOCAL) != (other->family == FAMILY_LOCAL))
        return false;
    if (one->family != FAMILY_LOCAL)
        return one->port == other->port && (one->protocols & other->protocols) != 0;
    if (one->node != 0 || other->node != 0)
        return one->node == other->node;
    for (i = AT_PATH; i < one->bytes && one->bytes == other->bytes; i++)
        if (one->text[i] != other->text[i])
            return false;
    return one->bytes == other->bytes;
}
