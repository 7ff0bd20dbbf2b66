/* stats_query WHAT FILE [ARGUMENT...]: reads the JSON statistics of a run (--stats x.json).
 *   valid            status 0 when it is JSON of schema 1 with every member the manual names
 *   get A.B.C ...    the value there, a line each; status 1 when there is none, and an empty line
 *   marks            "ADDRESS COUNT" of each mark with a counter, in the order of the file
 *   interrupts       "SYMBOL COUNT INTERRUPTS" of each mark
 *   ranges           "NAME ENTRIES EXECUTED|ACCESSES"
 *   callers          "ROUTINE CALLER COUNT", sorted by the shell
 *   events           "EVENT COUNT" of each, sorted by name
 *   without KEY...   everything but these top-level members, in one canonical form */
#include <cjson/cJSON.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* The tree of a file of some MiB has hundred thousands of parts, which last until the program ends:
 * they are allocated one after another in large pages. */
enum { CHUNK_BYTES = 32 << 20, LARGE_PAGE = 2 << 20 };

static void *take(size_t bytes)
{
    static char *next;
    static size_t left;
    char *taken;

    bytes = (bytes + 15) & ~(size_t)15;
    if (bytes > left) {
        size_t room = bytes > CHUNK_BYTES - LARGE_PAGE ? bytes + LARGE_PAGE : CHUNK_BYTES;

        next = mmap(NULL, room, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (next == MAP_FAILED)
            exit(3);
        madvise(next, room, MADV_HUGEPAGE);
        left = room;
    }
    taken = next;
    next += bytes;
    left -= bytes;
    return taken;
}

static void keep(void *taken)
{
    (void)taken;
}

static const char *const members[] = {
    "schema", "command", "config", "result", "storage_bits", "host", "cycles", "instructions",
    "ipc", "events", "harts", "marks", "ranges", "callers",
};

static char *read_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    size_t room = 1 << 16, used = 0, got;
    char *text = malloc(room);

    if (file == NULL || text == NULL)
        return NULL;
    while ((got = fread(text + used, 1, room - used - 1, file)) > 0) {
        used += got;
        if (room - used < 2) {
            char *grown = realloc(text, room *= 2);
            if (grown == NULL)
                exit(3);
            text = grown;
        }
    }
    fclose(file);
    text[used] = '\0';
    return text;
}

/* Numbers up to 2^53 exactly; addresses may be text, "0x80000000". */
static uint64_t number(const cJSON *object, const char *key)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);

    if (cJSON_IsString(item))
        return strtoull(item->valuestring, NULL, 0);
    return cJSON_IsNumber(item) ? (uint64_t)item->valuedouble : UINT64_MAX;
}

static const char *text(const cJSON *object, const char *key)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);

    return cJSON_IsString(item) && *item->valuestring != '\0' ? item->valuestring : "-";
}

static bool has_flag(const cJSON *mark, const char *name)
{
    const cJSON *flag;

    cJSON_ArrayForEach(flag, cJSON_GetObjectItemCaseSensitive(mark, "flags")) {
        size_t length = strlen(name);
        if (cJSON_IsString(flag) && strncmp(flag->valuestring, name, length) == 0 &&
            (flag->valuestring[length] == '\0' || flag->valuestring[length] == '='))
            return true;
    }
    return false;
}

static int check_members(const cJSON *stats)
{
    int status = 0;

    for (size_t i = 0; i < sizeof members / sizeof *members; i++)
        if (cJSON_GetObjectItemCaseSensitive(stats, members[i]) == NULL) {
            printf("no member %s\n", members[i]);
            status = 1;
        }
    if (number(stats, "schema") != 1)
        status = 1;
    return status;
}

static int print_value(const cJSON *stats, const char *path)
{
    const cJSON *item = stats;
    char key[64];

    while (*path != '\0' && item != NULL) {
        size_t length = strcspn(path, ".");
        if (length >= sizeof key)
            return 2;
        memcpy(key, path, length);
        key[length] = '\0';
        item = cJSON_IsArray(item) ? cJSON_GetArrayItem(item, atoi(key))
                                   : cJSON_GetObjectItemCaseSensitive(item, key);
        path += length + (path[length] == '.');
    }
    if (item == NULL)
        puts("");
    else if (cJSON_IsString(item))
        puts(item->valuestring);
    else
        puts(cJSON_PrintUnformatted(item));
    return item == NULL;
}

static int print_values(const cJSON *stats, char *const *path)
{
    int status = *path == NULL ? 2 : 0;

    for (; *path != NULL && status < 2; path++) {
        int missing = print_value(stats, *path);
        if (missing > status)
            status = missing;
    }
    return status;
}

static int print_lists(const cJSON *stats, const char *what)
{
    const cJSON *list = cJSON_GetObjectItemCaseSensitive(
        stats, strcmp(what, "interrupts") == 0 ? "marks" : what), *item;

    cJSON_ArrayForEach(item, list) {
        if (strcmp(what, "marks") == 0 && has_flag(item, "counter"))
            printf("0x%" PRIx64 " %" PRIu64 "\n", number(item, "address"), number(item, "count"));
        else if (strcmp(what, "interrupts") == 0)
            printf("%s %" PRIu64 " %" PRIu64 "\n", text(item, "symbol"), number(item, "count"),
                   number(item, "interrupts"));
        else if (strcmp(what, "callers") == 0)
            printf("%s %s %" PRIu64 "\n", text(item, "routine"), text(item, "caller"),
                   number(item, "count"));
        else if (strcmp(what, "ranges") == 0)
            printf("%s %" PRIu64 " %" PRIu64 "\n", text(item, "name"), number(item, "entries"),
                   number(item, *text(item, "name") == 'D' ? "accesses" : "executed"));
    }
    return list == NULL;
}

static int by_name(const void *a, const void *b)
{
    return strcmp((*(const cJSON *const *)a)->string, (*(const cJSON *const *)b)->string);
}

static int print_events(const cJSON *events)
{
    size_t count = (size_t)cJSON_GetArraySize(events), at = 0;
    const cJSON **list = malloc((count + 1) * sizeof *list), *item;

    if (list == NULL)
        return 3;
    cJSON_ArrayForEach(item, events)
        list[at++] = item;
    qsort(list, count, sizeof *list, by_name);
    for (size_t i = 0; i < count; i++)
        printf("%s %s\n", list[i]->string, cJSON_PrintUnformatted(list[i]));
    free(list);
    return count == 0;
}

int main(int argc, char **argv)
{
    char *json = argc > 2 ? read_file(argv[2]) : NULL;
    const char *end = NULL;
    cJSON *stats;

    cJSON_InitHooks(&(cJSON_Hooks){.malloc_fn = take, .free_fn = keep});
    stats = json == NULL ? NULL : cJSON_ParseWithOpts(json, &end, 1);

    if (!cJSON_IsObject(stats)) {
        printf("not a JSON object: %s\n", argc > 2 ? argv[2] : "(no file)");
        return 2;
    }
    if (strcmp(argv[1], "valid") == 0)
        return check_members(stats);
    if (strcmp(argv[1], "get") == 0)
        return print_values(stats, argv + 3);
    if (strcmp(argv[1], "events") == 0)
        return print_events(cJSON_GetObjectItemCaseSensitive(stats, "events"));
    if (strcmp(argv[1], "without") != 0)
        return print_lists(stats, argv[1]);
    for (int i = 3; i < argc; i++)
        cJSON_DeleteItemFromObjectCaseSensitive(stats, argv[i]);
    puts(cJSON_Print(stats));
    return 0;
}
