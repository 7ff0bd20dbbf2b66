/* Reading Spike's commit log, word by word. */
#include "sim/run/check/spike_line.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/csr.h"

static void parse_csr(struct spike_line *line, const char *name, uint64_t value)
{
    unsigned number = (unsigned)strtoul(name + 1, NULL, 10);

    if (number == CSR_fflags) {
        line->has_fflags = true;
        line->fflags = value;
    }
    if (line->csrs < SPIKE_CSRS) {
        line->csr[line->csrs].number = number;
        line->csr[line->csrs++].value = value;
    }
}

static void parse_access(struct spike_line *line, char **save)
{
    const char *address = strtok_r(NULL, " \n", save), *value;

    if (address == NULL)
        return;
    value = strtok_r(NULL, " \n", save);
    if (value == NULL) {
        line->has_load = true;
        line->load_va = strtoull(address, NULL, 16);
        return;
    }
    if (strcmp(value, "mem") == 0) {        /* of an atomic: the load, then the store */
        line->has_load = true;
        line->load_va = strtoull(address, NULL, 16);
        parse_access(line, save);
        return;
    }
    line->has_store = true;
    line->store_va = strtoull(address, NULL, 16);
    line->store_value = strtoull(value, NULL, 16);
}

static void parse_effects(struct spike_line *line, char *text)
{
    char *save = NULL;

    for (char *word = strtok_r(text, " \n", &save); word != NULL;
         word = strtok_r(NULL, " \n", &save)) {
        const char *value;
        if (strcmp(word, "mem") == 0) {
            parse_access(line, &save);
            continue;
        }
        value = strtok_r(NULL, " \n", &save);
        if (value == NULL)
            return;
        if (word[0] == 'c') {
            parse_csr(line, word, strtoull(value, NULL, 16));
        } else if (word[0] == 'x' || word[0] == 'f') {
            line->has_rd = true;
            line->rd = (unsigned)strtoul(word + 1, NULL, 10) + (word[0] == 'f' ? REG_F0 : 0);
            line->rd_value = strtoull(value, NULL, 16);
        }
    }
}

bool spike_line_parse(struct spike_line *line, char *text)
{
    char *at = strchr(text, ':'), *end;
    const char *epc, *interrupt;

    *line = (struct spike_line){0};
    if (strncmp(text, "core", 4) != 0 || at == NULL)
        return false;
    at++;
    line->hart = (unsigned)strtoul(text + 4, NULL, 10);
    if (strncmp(at, " exception ", 11) == 0 && (epc = strstr(at, "epc 0x")) != NULL) {
        line->is_exception = true;
        interrupt = strstr(at, "interrupt #");
        line->is_interrupt = interrupt != NULL;
        line->interrupt = interrupt != NULL ? (unsigned)strtoul(interrupt + 11, NULL, 10) : 0;
        line->is_page_fault = strstr(at, "page_fault") != NULL;
        line->pc = strtoull(epc + 4, NULL, 16);
        snprintf(line->trap, sizeof line->trap, "%.*s", (int)strcspn(at + 11, ","), at + 11);
        return true;
    }
    if (at[0] != ' ' || at[1] < '0' || at[1] > '3' || at[2] != ' ' || at[3] != '0')
        return false;
    line->priv = (unsigned)(at[1] - '0');
    line->pc = strtoull(at + 3, &end, 16);
    if (strncmp(end, " (0x", 4) != 0)
        return false;
    line->bits = strtoull(end + 2, &end, 16);
    if (*end == ')')
        parse_effects(line, end + 1);
    return true;
}
