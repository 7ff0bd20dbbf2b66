/* See rate.h. */
#include "prof/serve/server/rate.h"

#include <netinet/in.h>
#include <string.h>

/* Largest saved-up allowance, in seconds' worth of requests. */
#define BURST 5.0

void rate_init(struct rate *rate, double a_second)
{
    memset(rate, 0, sizeof *rate);
    rate->a_second = a_second;
    pthread_mutex_init(&rate->lock, NULL);
}

void rate_free(struct rate *rate)
{
    pthread_mutex_destroy(&rate->lock);
}

/* FNV-1a of the address; for IPv6 only of the network half, as a client has all of the other
 * half. */
static uint64_t hash(const struct sockaddr *address)
{
    const void *bytes = "";
    size_t count = 1;
    uint64_t sum = UINT64_C(0xcbf29ce484222325);

    if (address != NULL && address->sa_family == AF_INET) {
        bytes = &((const struct sockaddr_in *)(const void *)address)->sin_addr;
        count = 4;
    } else if (address != NULL && address->sa_family == AF_INET6) {
        bytes = &((const struct sockaddr_in6 *)(const void *)address)->sin6_addr;
        count = 8;
    }
    for (size_t i = 0; i < count; i++)
        sum = (sum ^ ((const unsigned char *)bytes)[i]) * UINT64_C(0x100000001b3);
    return sum;
}

bool rate_take(struct rate *rate, const struct sockaddr *address, uint64_t now_ns)
{
    struct rate_client *client = &rate->client[hash(address) % RATE_CLIENTS];
    bool may;

    if (rate->a_second <= 0)
        return true;
    pthread_mutex_lock(&rate->lock);
    if (client->at_ns == 0)
        *client = (struct rate_client){now_ns, BURST * rate->a_second};
    client->left += (double)(now_ns - client->at_ns) * 1e-9 * rate->a_second;
    client->at_ns = now_ns;
    if (client->left > BURST * rate->a_second)
        client->left = BURST * rate->a_second;
    may = client->left >= 1;
    if (may)
        client->left -= 1;
    pthread_mutex_unlock(&rate->lock);
    return may;
}
