/* rvsim serve: the collection service, a separate program (prof/serve/server/serve.h). */
#include "sim/cli/tool/service.h"

int command_serve(const struct command_line *line)
{
    char *word[COMMAND_VALUES_MAX + 3] = {(char[]){"rvsim-service"}, (char[]){"serve"}};
    char text[COMMAND_VALUES_MAX][1024];

    if (line->words > 0)
        return command_misuse("serve: takes no word: %s", line->word[0]);
    for (unsigned i = 0; i < line->options; i++) {
        const char *name = command_option_at(line->option[i].id)->name;

        if (snprintf(text[i], sizeof text[i], "--%s=%s", name, line->option[i].value) >=
            (int)sizeof text[i])
            return command_misuse("serve: --%s: too long", name);
        word[i + 2] = text[i];
    }
    return service_exec(word);
}
