/* See utf8.h. */
#include "sim/base/utf8.h"

#include <stdbool.h>
#include <string.h>

enum { DELETE = 0x7f };

size_t utf8_length(const char *text, const char *text_end)
{
    const unsigned char *at = (const unsigned char *)text;
    const unsigned char *end = (const unsigned char *)text_end;
    size_t length = *at < 0x80 ? 1 : *at < 0xc2 ? 0 : *at < 0xe0 ? 2 : *at < 0xf0 ? 3 :
                    *at < 0xf5 ? 4 : 0;

    if (length == 0 || length > (size_t)(end - at))
        return 0;
    for (size_t i = 1; i < length; i++)
        if ((at[i] & 0xc0) != 0x80)
            return 0;
    if ((*at == 0xe0 && at[1] < 0xa0) || (*at == 0xed && at[1] > 0x9f) ||
        (*at == 0xf0 && at[1] < 0x90) || (*at == 0xf4 && at[1] > 0x8f))
        return 0;
    return length;
}

static void replace(char *text, bool controls)
{
    const char *end = text + strlen(text);

    while (text < end) {
        size_t length = utf8_length(text, end);
        bool is_control = (unsigned char)*text < ' ' || *text == DELETE;

        if (length == 0 || (controls && is_control))
            *text = '?';
        text += length != 0 ? length : 1;
    }
}

void utf8_mend(char *text)
{
    replace(text, false);
}

void utf8_clean(char *text)
{
    replace(text, true);
}
