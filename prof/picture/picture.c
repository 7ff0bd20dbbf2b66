/* See picture.h. */
#include "prof/picture/picture.h"

#include <inttypes.h>
#include <string.h>

#include "prof/profile/json.h"
#include "prof/report/report.h"

enum { TEXT_BYTES = 96, TICKS = 10, GAP_LEAST = 8,
       SCALE_BYTES = PICTURE_COLUMNS + REPORT_NUMBER };

static const struct { char letter; const char *name; } stages[PICTURE_STAGES] = {
#define PICTURE_STAGE(id, letter, name) {letter, name},
#include "prof/picture/stage.def"
#undef PICTURE_STAGE
};

/* ---- text ------------------------------------------------------------------------------------ */

static uint64_t begin_of(const struct picture_insn *insn)
{
    for (unsigned stage = 0; stage < PICTURE_STAGES; stage++)
        if (insn->stage[stage] != 0)
            return insn->stage[stage];
    return insn->leave;
}

/* The cycles with a column. A long stretch of cycles without a begin or end shares one column, a
 * gap. */
struct columns {
    uint64_t first[PICTURE_COLUMNS], last[PICTURE_COLUMNS];
    unsigned count;
};

static uint64_t next_change(const struct picture *picture, uint64_t cycle)
{
    uint64_t next = UINT64_MAX;

    for (unsigned i = 0; i < picture->insns; i++) {
        const struct picture_insn *insn = &picture->insn[i];

        for (unsigned stage = 0; stage < PICTURE_STAGES; stage++)
            if (insn->stage[stage] >= cycle && insn->stage[stage] < next)
                next = insn->stage[stage];
        if (insn->leave >= cycle && insn->leave < next)
            next = insn->leave;
    }
    return picture->taken >= cycle && picture->taken < next ? picture->taken : next;
}

/* Makes columns from a cycle to the last one, as far as there is room. */
static void make_columns(const struct picture *picture, uint64_t from, struct columns *columns)
{
    columns->count = 0;
    while (columns->count < PICTURE_COLUMNS) {
        uint64_t next = next_change(picture, from), end = from;

        if (next == UINT64_MAX)
            break;
        if (next - from > GAP_LEAST)
            end = next - 2;
        columns->first[columns->count] = from;
        columns->last[columns->count++] = end;
        from = end + 1;
    }
}

static bool is_whole(const struct picture *picture, const struct columns *columns)
{
    uint64_t leave = picture->insn[picture->focus].leave;

    return columns->count != 0 && columns->last[columns->count - 1] >= leave;
}

/* Shows all rows, unless there are too many cycles: then older cycles are cut off, until the
 * requested row is complete. */
static void choose_columns(const struct picture *picture, struct columns *columns)
{
    uint64_t from = UINT64_MAX;

    for (unsigned i = 0; i < picture->insns; i++)
        if (begin_of(&picture->insn[i]) < from)
            from = begin_of(&picture->insn[i]);
    make_columns(picture, from, columns);
    while (!is_whole(picture, columns) && from < picture->insn[picture->focus].leave) {
        from = columns->last[0] + 1;
        make_columns(picture, from, columns);
    }
}

static void put(char *line, const struct columns *columns, uint64_t cycle, char letter)
{
    for (unsigned i = 0; i < columns->count; i++)
        if (cycle >= columns->first[i] && cycle <= columns->last[i])
            line[i] = letter;
}

/* Dots while an instruction waits, equals signs while it executes; of stages in one cycle the last
 * one shows. */
static void draw(const struct picture_insn *insn, const struct columns *columns, char *line)
{
    uint64_t issue = insn->stage[PICTURE_ISSUE], complete = insn->stage[PICTURE_COMPLETE];

    memset(line, ' ', columns->count);
    line[columns->count] = '\0';
    for (unsigned i = 0; i < columns->count; i++) {
        uint64_t cycle = columns->first[i];

        if (cycle < begin_of(insn) || cycle >= insn->leave)
            continue;
        line[i] = issue != 0 && cycle > issue && (complete == 0 || cycle < complete) ? '=' : '.';
    }
    for (unsigned stage = 0; stage < PICTURE_STAGES; stage++)
        if (insn->stage[stage] != 0)
            put(line, columns, insn->stage[stage], stages[stage].letter);
    if (!insn->is_committed)
        put(line, columns, insn->leave, 'x');
}

/* Two lines above the rows: the number of every tenth cycle; ticks, gaps, and the place of the
 * sample. */
static void draw_scale(const struct picture *picture, const struct columns *columns,
                       char numbers[SCALE_BYTES], char marks[PICTURE_COLUMNS + 1])
{
    char number[REPORT_NUMBER];
    unsigned column = 0;

    memset(marks, ' ', columns->count);
    marks[columns->count] = numbers[0] = '\0';
    for (unsigned i = 0; i < columns->count; i++) {
        bool is_gap = columns->last[i] != columns->first[i];

        if (!is_gap && columns->first[i] % TICKS != 0 && i != 0)
            continue;
        marks[i] = is_gap ? '~' : '|';
        report_number(columns->first[i], number);
        if (!is_gap && (column == 0 || i > column))
            column += (unsigned)snprintf(numbers + column, SCALE_BYTES - column, "%*s%s",
                                         (int)(i - column), "", number);
    }
    put(marks, columns, picture->taken != 0 ? picture->taken : UINT64_MAX, 'v');
}

static void print_legend(const struct picture *picture, FILE *out)
{
    fputc('\n', out);
    for (unsigned stage = 0; stage < PICTURE_STAGES; stage++)
        fprintf(out, "%s%c %s", stage != 0 ? ", " : "", stages[stage].letter, stages[stage].name);
    fprintf(out, "; . waits, = executes, x thrown away, "
            "~ cycles left out%s\n", picture->taken != 0 ? ", v the sample was taken" : "");
}

void picture_print(const struct picture *picture, const struct symbols *symbols, FILE *out)
{
    struct disasm *disasm = disasm_open_xlen(symbols_xlen(symbols));
    struct columns columns;
    char line[PICTURE_COLUMNS + 1], numbers[SCALE_BYTES], text[TEXT_BYTES] = "";

    choose_columns(picture, &columns);
    fprintf(out, "\n%s\n\n", picture->title);
    draw_scale(picture, &columns, numbers, line);
    fprintf(out, "  %10s %s\n  %10s %s\n", "cycle", numbers, "", line);
    for (unsigned i = 0; i < picture->insns; i++) {
        const struct picture_insn *insn = &picture->insn[i];

        draw(insn, &columns, line);
        if (disasm != NULL)
            disasm_text(disasm, &insn->insn, insn->pc, text, sizeof text);
        fprintf(out, "%c %10" PRIx64 " %s %s\n", i == picture->focus ? '>' : ' ', insn->pc, line,
                text);
    }
    print_legend(picture, out);
    if (disasm != NULL)
        disasm_close(disasm);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static void add_insn(cJSON *array, const struct picture_insn *insn, const struct columns *columns,
                     const struct symbols *symbols, struct disasm *disasm)
{
    cJSON *object = json_append_object(array);
    char text[TEXT_BYTES], place[SYMBOLS_TEXT], line[PICTURE_COLUMNS + 1];

    disasm_text(disasm, &insn->insn, insn->pc, text, sizeof text);
    draw(insn, columns, line);
    json_address(object, "address", insn->pc);
    cJSON_AddStringToObject(object, "place", symbols_describe(symbols, insn->pc, place));
    cJSON_AddStringToObject(object, "text", text);
    cJSON_AddStringToObject(object, "line", line);
    for (unsigned stage = 0; stage < PICTURE_STAGES; stage++)
        if (insn->stage[stage] != 0)
            json_number(object, stages[stage].name, insn->stage[stage]);
    json_number(object, "leave", insn->leave);
    cJSON_AddBoolToObject(object, "committed", insn->is_committed);
}

static void add_scale(cJSON *object, const struct picture *picture, const struct columns *columns)
{
    char numbers[SCALE_BYTES], marks[PICTURE_COLUMNS + 1], letter[2] = "";
    cJSON *array = cJSON_AddArrayToObject(object, "stages");

    for (unsigned i = 0; i < PICTURE_STAGES; i++) {
        cJSON *stage = json_append_object(array);

        letter[0] = stages[i].letter;
        cJSON_AddStringToObject(stage, "letter", letter);
        cJSON_AddStringToObject(stage, "name", stages[i].name);
    }
    draw_scale(picture, columns, numbers, marks);
    array = cJSON_AddArrayToObject(object, "scale");
    cJSON_AddItemToArray(array, cJSON_CreateString(numbers));
    cJSON_AddItemToArray(array, cJSON_CreateString(marks));
}

enum err picture_add_json(cJSON *root, const struct picture *picture,
                          const struct symbols *symbols, struct diag *diag)
{
    struct disasm *disasm = disasm_open_xlen(symbols_xlen(symbols));
    struct columns columns;
    cJSON *object, *array;

    if (disasm == NULL)
        return diag_no_memory(diag, "the disassembler");
    choose_columns(picture, &columns);
    object = cJSON_AddObjectToObject(root, "picture");
    cJSON_AddStringToObject(object, "title", picture->title);
    json_number(object, "hart", picture->hart);
    if (picture->taken != 0)
        json_number(object, "taken", picture->taken);
    json_number(object, "focus", picture->focus);
    add_scale(object, picture, &columns);
    array = cJSON_AddArrayToObject(object, "instructions");
    for (unsigned i = 0; i < picture->insns; i++)
        add_insn(array, &picture->insn[i], &columns, symbols, disasm);
    disasm_close(disasm);
    return ERR_OK;
}
