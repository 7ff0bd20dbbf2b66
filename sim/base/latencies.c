/* See latencies.h. */
#include "sim/base/latencies.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

bool latencies_read(const char *text, uint64_t latency[LATENCIES])
{
    for (unsigned i = 0; i < LATENCIES; i++) {
        char *end;
        text += strspn(text, " ");
        unsigned long long cycles = strtoull(text, &end, 0);
        if (!isdigit((unsigned char)*text) || (*end != ' ' && *end != '\0') || cycles > UINT32_MAX)
            return false;
        latency[i] = cycles;
        text = end;
    }
    return text[strspn(text, " ")] == '\0';
}
