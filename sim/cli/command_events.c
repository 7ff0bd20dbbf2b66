/* rvsim events: what counters can count, from the table of events. */
#include "pmu/event.h"
#include "sim/cli/commands.h"

int command_events(const struct command_line *line)
{
    static const char *const scope[] = {"", "instruction", "occurrence", "cycle", "slot",
                                        "slot", "cycle"};
    const char *name;

    if (line->words != 0)
        return command_misuse("events %s: expected nothing", line->word[0]);
    printf("%-6s%-24s%-13s%s\n", "code", "name", "one count is", "meaning");
    for (unsigned code = EVENT_NONE; (name = event_next(&code)) != NULL;)
        printf("0x%02x  %-24s%-13s%s\n", code, name, scope[event_scope(code)],
               event_meaning(code));
    return 0;
}
