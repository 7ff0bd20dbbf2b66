/* rvsim serve: the collection service, a separate program (prof/serve/server/serve.h). */
#include "sim/cli/tool/service.h"

int command_serve(const struct command_line *line)
{
    char *word[COMMAND_VALUES_MAX + 3] = {(char[]){"rvsim-service"}, (char[]){"serve"}};
    char text[COMMAND_VALUES_MAX][1024];
    unsigned words = 2;

    if (line->words > 0)
        return command_misuse("serve: takes no word: %s", line->word[0]);
    for (unsigned i = 0; i < line->options; i++) {
        const char *name = command_option_at(line->option[i].id)->name;

        if (command_is_common(command_option_at(line->option[i].id)))
            continue;
        if (snprintf(text[i], sizeof text[i], "--%s=%s", name, line->option[i].value) >=
            (int)sizeof text[i])
            return command_misuse("serve: --%s: too long", name);
        word[words++] = text[i];
    }
    return service_exec(word);
}
