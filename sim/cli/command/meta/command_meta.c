/* rvsim meta: checks, lists and creates metadata files; meta_convert.c converts them. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "isa/insn.h"
#include "prof/profile/json.h"
#include "prof/report/report.h"
#include "shadowcache/meta_late.h"
#include "sim/base/output.h"
#include "sim/cli/command/commands.h"
#include "sim/cli/command/meta/meta_convert.h"
#include "sim/cli/tool/tool.h"
#include "sim/host/target.h"

enum { TEXT_BYTES = 96, FLAGS_BYTES = 256 };

/* ---- check and list -------------------------------------------------------------------------- */

static size_t append(char text[FLAGS_BYTES], size_t at, const char *word, const char *value)
{
    return at + (size_t)snprintf(text + at, FLAGS_BYTES - at, "%s%s%s", at != 0 ? " " : "", word,
                                 value);
}

/* In the syntax of a metadata file. */
static void describe_action(const struct meta_action *action, char text[FLAGS_BYTES])
{
    const struct meta_flag *flag;
    size_t at = 0;
    char value[40];

    text[0] = '\0';
    for (size_t i = 0; (flag = meta_flag(i)) != NULL; i++) {
        value[0] = '\0';
        if (flag->mark == MARK_COUNTER && action->limit != 0)
            snprintf(value, sizeof value, "=%" PRIu32, action->limit);
        if (flag->mark == MARK_ALARM)
            snprintf(value, sizeof value, "=%s%" PRIu64,
                     (action->latency_cycles & ALARM_ELAPSED) != 0 ? "elapsed:" : "",
                     meta_action_alarm(action));
        if (flag->mark == MARK_LABEL)
            snprintf(value, sizeof value, "=%u", action->label);
        if (flag->mark == MARK_THRESHOLD && action->latency_bits != 0)
            snprintf(value, sizeof value, "=bits:%d%d%d", action->latency_bits >> 2 & 1,
                     action->latency_bits >> 1 & 1, action->latency_bits & 1);
        else if (flag->mark == MARK_THRESHOLD)
            snprintf(value, sizeof value, "=%" PRIu32, action->latency_cycles);
        if (flag->mark != 0 && (action->flags & flag->mark) != 0)
            at = append(text, at, flag->name, value);
        if (flag->mark == 0 && action->granule != 0) {
            snprintf(value, sizeof value, "=%" PRIu32, action->granule);
            at = append(text, at, flag->name, value);
        }
    }
}

static void print_mark(const struct target *target, struct disasm *disasm,
                       const struct meta_mark *mark)
{
    char place[SYMBOLS_TEXT], line[SYMBOLS_TEXT] = "", text[TEXT_BYTES] = "", flags[FLAGS_BYTES];
    struct insn insn;
    uint32_t bits = 0;

    if (mark->is_code && symbols_code(target->symbols, mark->address, &bits,
                                      mark->bytes < 4 ? 2 : 4)) {
        insn_decode_xlen(&insn, bits, symbols_xlen(target->symbols));
        disasm_text(disasm, &insn, mark->address, text, sizeof text);
        symbols_describe_line(target->symbols, mark->address, line);
    }
    describe_action(&mark->action, flags);
    printf("0x%010" PRIx64 " %6" PRIu64 "  %-24s %-32s %s%s%s\n", mark->address, mark->bytes,
           symbols_describe(target->symbols, mark->address, place), text, flags,
           line[0] != '\0' ? "  ; " : "", line);
}

static void print_range(char kind, unsigned index, const struct meta_range *range)
{
    if (range->is_set)
        printf("range %c%u 0x%" PRIx64 "..0x%" PRIx64 " %s\n", kind, index, range->start,
               range->end, range->name);
}

static enum err print_list(const struct target *target, const struct meta *meta, struct diag *diag)
{
    struct disasm *disasm = disasm_open_xlen(symbols_xlen(target->symbols));

    if (disasm == NULL)
        return diag_no_memory(diag, "the disassembler");
    for (size_t i = 0; i < meta->marks; i++)
        print_mark(target, disasm, &meta->mark[i]);
    for (unsigned i = 0; i < PROF_RANGES; i++)
        print_range('I', i, &meta->irange[i]);
    for (unsigned i = 0; i < PROF_RANGES; i++)
        print_range('D', i, &meta->drange[i]);
    disasm_close(disasm);
    return ERR_OK;
}

static int compare_addresses(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

/* Counts marked instructions, each once, as a run does. *ranges: entries of data. False: no
 * memory. */
static bool count_marks(const struct meta *meta, size_t *insns, size_t *ranges)
{
    uint64_t *address = malloc((meta->marks + 1) * sizeof *address);
    size_t count = 0;

    *insns = 0;
    for (size_t i = 0; address != NULL && i < meta->marks; i++)
        if (meta->mark[i].is_code)
            address[count++] = meta->mark[i].address;
    *ranges = meta->marks - count;
    if (address != NULL)
        qsort(address, count, sizeof *address, compare_addresses);
    for (size_t i = 0; i < count; i++)
        *insns += i == 0 || address[i] != address[i - 1];
    free(address);
    return address != NULL;
}

static enum err print_counts(const struct meta *meta, struct diag *diag)
{
    size_t insns, ranges;

    if (!count_marks(meta, &insns, &ranges))
        return diag_no_memory(diag, "marks");
    printf("%zu instruction%s and %zu range%s of data marked, %zu warning%s\n", insns,
           report_s(insns), ranges, report_s(ranges), meta->warnings, report_s(meta->warnings));
    return ERR_OK;
}

struct checked { const struct target *target; const struct meta *meta; };

static void add_mark(cJSON *array, const struct target *target, const struct meta_mark *mark)
{
    cJSON *object = json_append_object(array);
    char text[SYMBOLS_TEXT], flags[FLAGS_BYTES];

    describe_action(&mark->action, flags);
    json_address(object, "address", mark->address);
    json_number(object, "bytes", mark->bytes);
    cJSON_AddStringToObject(object, "kind", mark->is_code ? "code" : "data");
    cJSON_AddStringToObject(object, "place", symbols_describe(target->symbols, mark->address,
                                                              text));
    if (mark->is_code)
        cJSON_AddStringToObject(object, "line", symbols_describe_line(target->symbols,
                                                                      mark->address, text));
    cJSON_AddStringToObject(object, "flags", flags);
}

static void add_range(cJSON *array, char kind, unsigned index, const struct meta_range *range)
{
    char name[8];
    cJSON *object;

    if (!range->is_set)
        return;
    object = json_append_object(array);
    snprintf(name, sizeof name, "%c%u", kind, index);
    cJSON_AddStringToObject(object, "name", name);
    cJSON_AddStringToObject(object, "place", range->name);
    json_address(object, "start", range->start);
    json_address(object, "end", range->end);
}

static enum err write_json(void *arg, FILE *out, struct diag *diag)
{
    const struct checked *checked = arg;
    const struct meta *meta = checked->meta;
    cJSON *root = json_document(), *array;

    cJSON_AddStringToObject(root, "program", symbols_base_name(checked->target->image.path));
    array = cJSON_AddArrayToObject(root, "warnings");
    for (size_t i = 0; i < meta->warnings; i++)
        cJSON_AddItemToArray(array, cJSON_CreateString(meta->warning[i]));
    array = cJSON_AddArrayToObject(root, "marks");
    for (size_t i = 0; i < meta->marks; i++)
        add_mark(array, checked->target, &meta->mark[i]);
    array = cJSON_AddArrayToObject(root, "ranges");
    for (unsigned i = 0; i < 2 * PROF_RANGES; i++)
        add_range(array, i < PROF_RANGES ? 'I' : 'D', i % PROF_RANGES,
                  i < PROF_RANGES ? &meta->irange[i] : &meta->drange[i - PROF_RANGES]);
    return json_print(root, out, diag);
}

static enum err show(const struct checked *checked, bool is_list, const struct tool_files *files,
                     struct diag *diag)
{
    struct checked copy = *checked;
    enum err err = ERR_OK;

    if (!tool_files_take_output(files))
        err = is_list ? print_list(checked->target, checked->meta, diag)
                      : print_counts(checked->meta, diag);
    return err == ERR_OK ? tool_files_write(files, NULL, write_json, &copy, diag) : err;
}

/* Reads the files after "check" or "list": metadata files, the program last. */
static int read_files(const struct command_line *line, bool is_list)
{
    const struct tool_files files = {NULL, command_value(line, OPT_META_JSON)};
    struct target target;
    struct meta meta = {0};
    struct diag diag = {""};
    enum err err;

    if (line->words < 3)
        return command_misuse("meta %s: expected FILE.meta app.elf", line->word[0]);
    err = tool_files_check(&files, &diag);
    if (err == ERR_OK)
        err = target_open(&target, line->word[line->words - 1], &diag);
    if (err != ERR_OK)
        return command_error(err, &diag);
    err = target_read_meta(&target, line->word + 1, line->words - 2, &meta, &diag);
    for (size_t i = 0; i < meta.warnings; i++)
        fprintf(stderr, "rvsim: warning: %s\n", meta.warning[i]);
    for (size_t i = 0; i < meta.lates; i++)
        fprintf(stderr, "rvsim: note: %s%s: waits for a library that has it\n",
                meta.late[i].reason, meta.late[i].reason[0] == '\0' ? meta.late[i].text : "");
    if (err == ERR_OK)
        err = show(&(struct checked){&target, &meta}, is_list, &files, &diag);
    meta_free(&meta);
    target_close(&target);
    return err == ERR_OK ? 0 : command_error(err, &diag);
}

/* ---- create ---------------------------------------------------------------------------------- */

/* The target of an option's entries, and the words that follow it. */
enum entry_kind { ENTRY_WHOLE, ENTRY_FIRST, ENTRY_BRANCHES, ENTRY_CALLS };
struct entry_form { enum entry_kind kind; char flags[64]; };

static bool form_of(const struct command_line *line, enum command_option_id id,
                    struct entry_form *form)
{
    const char *limit = command_value(line, OPT_META_LIMIT);

    switch (id) {
    case OPT_META_COUNTER: *form = (struct entry_form){ENTRY_WHOLE, "counter"}; return true;
    case OPT_META_BRANCHES: *form = (struct entry_form){ENTRY_BRANCHES, "counter"}; return true;
    case OPT_META_CALLS: *form = (struct entry_form){ENTRY_CALLS, "interrupt"}; return true;
    case OPT_META_INTERRUPT:
        *form = (struct entry_form){ENTRY_FIRST, "interrupt"};
        if (limit != NULL)
            snprintf(form->flags, sizeof form->flags, "counter=%.20s interrupt", limit);
        return true;
    default: return false;
    }
}

static bool is_marked(const struct insn *insn, enum entry_kind kind)
{
    if (kind == ENTRY_BRANCHES)
        return insn_info[insn->op].kind == KIND_BRANCH;
    return kind != ENTRY_CALLS || insn_is_call(insn) || insn_is_return(insn);
}

/* The number of a function's instructions that a form marks; with `out`, writes an entry for
 * each. */
static size_t mark_insns(const struct target *target, const struct symbols_entry *entry,
                         const struct entry_form *form, FILE *out)
{
    uint64_t address = entry->address, end = entry->address + entry->bytes;
    struct insn insn;
    size_t count = 0;

    for (; address < end && symbols_insn(target->symbols, address, &insn); address += insn.length) {
        if (!is_marked(&insn, form->kind))
            continue;
        if (out != NULL)
            fprintf(out, "0x%" PRIx64 "  %u  %s  # %s\n", address, insn.length, form->flags,
                    entry->name);
        count++;
        if (form->kind == ENTRY_FIRST)
            break;
    }
    return count;
}

/* True if a name belongs to one function only. */
static bool is_unique(const struct target *target, const char *link_name, uint64_t address)
{
    const struct symbols_entry *other;
    size_t count = symbols_entries(target->symbols, &other);

    for (size_t i = 0; i < count; i++)
        if (other[i].address != address &&
            strcmp(symbols_link_name(target->symbols, &other[i]), link_name) == 0)
            return false;
    return true;
}

static void print_entry(const struct target *target, const struct symbols_entry *entry,
                        const struct entry_form *form, FILE *out)
{
    static const char *const shape[] = {"%s  *  %s%s%s\n", "%s  2  %s%s%s\n",
                                        "branches(%s)  *  %s%s%s\n", "calls(%s)  *  %s%s%s\n"};
    const char *link_name = symbols_link_name(target->symbols, entry);
    bool is_mangled = strcmp(link_name, entry->name) != 0;

    if (is_unique(target, link_name, entry->address))
        fprintf(out, shape[form->kind], link_name, form->flags, is_mangled ? "  # " : "",
                is_mangled ? entry->name : "");
    else
        mark_insns(target, entry, form, out);
}

/* Prints functions in order of address; a function with several names once, a function without
 * anything to mark not at all. Returns their number; out may be NULL. */
static size_t print_entries(const struct target *target, const char *pattern,
                            const struct entry_form *form, FILE *out)
{
    const struct symbols_entry *entry;
    size_t count = symbols_entries(target->symbols, &entry), matches = 0;
    uint64_t last = 0;

    for (size_t i = 0; i < count; i++) {
        if (!entry[i].is_function || !symbols_matches(target->symbols, &entry[i], pattern) ||
            (matches != 0 && last == entry[i].address) ||
            mark_insns(target, &entry[i], form, NULL) == 0)
            continue;
        if (out != NULL)
            print_entry(target, &entry[i], form, out);
        last = entry[i].address;
        matches++;
    }
    return matches;
}

/* With out NULL, only checks that every pattern matches a name. */
static enum err write_entries(const struct command_line *line, const struct target *target,
                              FILE *out, struct diag *diag)
{
    if (out != NULL)
        fprintf(out, "# %s\n", symbols_base_name(target->image.path));
    for (unsigned i = 0; i < line->options; i++) {
        const char *pattern = line->option[i].value;
        struct entry_form form;

        if (!form_of(line, line->option[i].id, &form))
            continue;
        if (print_entries(target, pattern, &form, out) == 0)
            return diag_set(diag, ERR_USAGE, "meta create: no function of %s that matches "
                            "'%.80s' has anything to mark", target->image.path, pattern);
    }
    return ERR_OK;
}

static enum err check_create(const struct command_line *line, struct diag *diag)
{
    const char *limit = command_value(line, OPT_META_LIMIT);
    uint64_t number;
    struct entry_form form;

    if (limit != NULL && (!options_number(limit, &number) || number == 0 || number > UINT32_MAX))
        return diag_set(diag, ERR_USAGE, "meta create: --limit %s: expected a number from 1 to "
                        "4294967295", limit);
    for (unsigned i = 0; i < line->options; i++)
        if (form_of(line, line->option[i].id, &form))
            return ERR_OK;
    return diag_set(diag, ERR_USAGE, "meta create: expected --counter, --interrupt, --branches or "
                    "--calls with a PATTERN");
}

static enum err write_file(const struct command_line *line, const struct target *target,
                           struct diag *diag)
{
    const char *path = command_value(line, OPT_META_OUTPUT);
    enum err err = write_entries(line, target, NULL, diag);
    struct output output;
    enum err closed;

    if (err == ERR_OK)
        err = output_open(&output, path != NULL ? path : "-", diag);
    if (err != ERR_OK)
        return err;
    err = write_entries(line, target, output.file, diag);
    closed = output_close(&output, err == ERR_OK, err == ERR_OK ? diag : NULL);
    return err == ERR_OK ? closed : err;
}

static int create(const struct command_line *line)
{
    struct target target;
    struct diag diag = {""};
    enum err err;

    if (line->words != 2)
        return command_misuse("meta create: expected one app.elf");
    err = check_create(line, &diag);
    if (err == ERR_OK)
        err = target_open(&target, line->word[1], &diag);
    if (err != ERR_OK)
        return command_error(err, &diag);
    err = write_file(line, &target, &diag);
    target_close(&target);
    return err == ERR_OK ? 0 : command_error(err, &diag);
}

int command_meta(const struct command_line *line)
{
    const char *action = line->words != 0 ? line->word[0] : "";

    if (strcmp(action, "check") == 0 || strcmp(action, "list") == 0)
        return read_files(line, strcmp(action, "list") == 0);
    if (strcmp(action, "create") == 0)
        return create(line);
    if (strcmp(action, "convert") == 0)
        return meta_convert(line);
    return command_misuse("meta%s%s: expected check, list, create or convert",
                          *action != '\0' ? " " : "", action);
}
