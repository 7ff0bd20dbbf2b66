/* See api_name.h. */
#include "prof/api/api_name.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

struct api_name api_name_of(const char *function)
{
    static const char anonymous[] = "(anonymous namespace)", op[] = "operator";
    size_t from = 0, to = 0;
    int depth = 0;

    for (size_t i = 0; function[i] != '\0'; i++) {
        char c = function[i];
        bool is_start = i == from || (i > 1 && function[i - 1] == ':');

        if (depth == 0 && strncmp(function + i, anonymous, sizeof anonymous - 1) == 0)
            i += sizeof anonymous - 2;
        else if (depth == 0 && (c == '(' || (is_start && strncmp(function + i, op, 8) == 0 &&
                                             !isalnum(function[i + 8]) && function[i + 8] != '_')))
            break;
        else if (c == '<' || c == '(' || c == '[' || c == '{')
            depth++;
        else if (c == '>' || c == ')' || c == ']' || c == '}')
            depth--;
        else if (depth == 0 && c == ' ')
            from = to = i + 1;      /* the return type is before it */
        else if (depth == 0 && c == ':' && function[i + 1] == ':')
            to = i++;
    }
    return (struct api_name){function + from, to - from};
}
