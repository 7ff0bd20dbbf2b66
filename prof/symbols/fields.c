/* See fields.h. Types are followed to a limit of depth: a damaged file may refer in circles. */
#include "prof/symbols/fields.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pmu/sorted.h"
#include "prof/symbols/symbols_internal.h"

enum { DEPTH_MOST = 32, PARTS_MOST = 1 << 20, PATH_BYTES = 512, NAME_BYTES = 128 };

struct variable { uint64_t address; Dwarf_Die die; };

struct reader {
    const struct symbols *symbols;
    struct fields *fields;
    struct variable *variable;
    size_t variables, variable_room, part_room;
    char path[PATH_BYTES];              /* of the part that is being made */
    bool lacks_memory;
};

/* Room for one more element; NULL: no memory, and the old array stays. */
static void *grown(struct reader *reader, void *array, size_t wanted, size_t *room, size_t bytes)
{
    size_t more = wanted + *room + 64;
    void *larger = realloc(array, more * bytes);

    if (larger == NULL)
        reader->lacks_memory = true;
    else
        *room = more;
    return larger;
}

/* ---- types ----------------------------------------------------------------------------------- */

/* Replaces an entry by its type, without names and qualifiers. False: it has none. */
static bool take_type(Dwarf_Die *die)
{
    for (unsigned step = 0; step < DEPTH_MOST; step++) {
        Dwarf_Attribute attribute;
        Dwarf_Die type;

        if (dwarf_attr_integrate(die, DW_AT_type, &attribute) == NULL ||
            dwarf_formref_die(&attribute, &type) == NULL)
            return false;
        *die = type;
        switch (dwarf_tag(die)) {
        case DW_TAG_typedef: case DW_TAG_const_type: case DW_TAG_volatile_type:
        case DW_TAG_restrict_type: case DW_TAG_atomic_type:
            break;
        default:
            return true;
        }
    }
    return false;
}

/* 0: unknown, as of a flexible array. */
static uint64_t bytes_of(Dwarf_Die *type)
{
    Dwarf_Word bytes = 0;

    return dwarf_aggregate_size(type, &bytes) == 0 ? bytes : 0;
}

static bool is_structure(Dwarf_Die *type)
{
    int tag = dwarf_tag(type);

    return tag == DW_TAG_structure_type || tag == DW_TAG_class_type;
}

static bool number_of(Dwarf_Die *die, unsigned name, uint64_t *number)
{
    Dwarf_Attribute attribute;
    Dwarf_Word word;

    if (dwarf_attr(die, name, &attribute) == NULL || dwarf_formudata(&attribute, &word) != 0)
        return false;
    *number = word;
    return true;
}

/* ---- members --------------------------------------------------------------------------------- */

struct member {
    uint64_t start, end;                /* bytes of the structure */
    Dwarf_Die type;
    bool is_bits;
    bool is_joined;                     /* several that share bytes: no type of its own */
    char name[NAME_BYTES];              /* "a"; "a|b" of joined ones */
};

struct members {
    struct member *member;
    size_t count, room;
};

static void join_name(char name[NAME_BYTES], const char *other)
{
    size_t length = strlen(name);

    snprintf(name + length, NAME_BYTES - length, "%s%s", length != 0 ? "|" : "", other);
}

/* The names of the members of an anonymous union: "a|b". */
static void name_union(Dwarf_Die *type, char name[NAME_BYTES], unsigned depth)
{
    Dwarf_Die child;

    if (depth == DEPTH_MOST || dwarf_child(type, &child) != 0)
        return;
    do {
        Dwarf_Die inner = child;

        if (dwarf_tag(&child) != DW_TAG_member)
            continue;
        if (dwarf_diename(&child) != NULL)
            join_name(name, dwarf_diename(&child));
        else if (take_type(&inner))
            name_union(&inner, name, depth + 1);
    } while (dwarf_siblingof(&child, &child) == 0);
}

/* The bytes of a member, from the start of its structure. False: it has none that are fixed. */
static bool place_of(Dwarf_Die *die, Dwarf_Die *type, struct member *member)
{
    uint64_t start = 0, bits = 0, width = 0;

    member->is_bits = number_of(die, DW_AT_bit_size, &width);
    if (number_of(die, DW_AT_data_bit_offset, &bits)) {
        member->start = bits / 8;
        member->end = (bits + width + 7) / 8;
        return true;
    }
    if (!number_of(die, DW_AT_data_member_location, &start) && dwarf_hasattr(die, DW_AT_external))
        return false;
    member->start = start;
    member->end = start + bytes_of(type);
    if (dwarf_tag(type) == DW_TAG_array_type && member->end == start)
        member->end = UINT64_MAX;
    return true;
}

static void add_member(struct reader *reader, struct members *members, const struct member *member)
{
    if (members->count == members->room) {
        struct member *larger = grown(reader, members->member, members->count, &members->room,
                                      sizeof *larger);

        if (larger == NULL)
            return;
        members->member = larger;
    }
    members->member[members->count++] = *member;
}

static void collect(struct reader *reader, struct members *members, Dwarf_Die *type,
                    uint64_t offset, unsigned depth);

/* A member, or those of a base class or of an anonymous structure. */
static void collect_one(struct reader *reader, struct members *members, Dwarf_Die *die,
                        uint64_t offset, unsigned depth)
{
    struct member member = {.type = *die};
    const char *name = dwarf_diename(die);

    if (!take_type(&member.type) || !place_of(die, &member.type, &member))
        return;
    member.start += offset;
    member.end += member.end != UINT64_MAX ? offset : 0;
    if (name == NULL && is_structure(&member.type)) {
        collect(reader, members, &member.type, member.start, depth + 1);
        return;
    }
    if (name != NULL)
        join_name(member.name, name);
    else
        name_union(&member.type, member.name, depth);
    member.is_joined = name == NULL;
    if (member.start < member.end)
        add_member(reader, members, &member);
}

static void collect(struct reader *reader, struct members *members, Dwarf_Die *type,
                    uint64_t offset, unsigned depth)
{
    Dwarf_Die child;

    if (depth == DEPTH_MOST || dwarf_child(type, &child) != 0)
        return;
    do {
        int tag = dwarf_tag(&child);

        if (tag == DW_TAG_member || tag == DW_TAG_inheritance)
            collect_one(reader, members, &child, offset, depth);
    } while (dwarf_siblingof(&child, &child) == 0);
}

static int compare_members(const void *a, const void *b)
{
    const struct member *x = a, *y = b;

    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    return (x->end > y->end) - (x->end < y->end);
}

static void join(struct member *member, const struct member *other)
{
    join_name(member->name, other->name);
    member->end = other->end > member->end ? other->end : member->end;
    member->is_joined = true;
}

/* Sorts, and joins what shares bytes. */
static void tidy(struct members *members)
{
    struct member *member = members->member;
    size_t kept = 0;

    if (members->count == 0)
        return;
    qsort(member, members->count, sizeof *member, compare_members);
    for (size_t i = 1; i < members->count; i++) {
        if (member[i].start < member[kept].end || (member[i].is_bits && member[kept].is_bits))
            join(&member[kept], &member[i]);
        else
            member[++kept] = member[i];
    }
    members->count = kept + 1;
}

/* ---- parts ----------------------------------------------------------------------------------- */

/* The first of `count` new parts, which stand one after another; 0: no room. */
static uint32_t reserve(struct reader *reader, size_t count)
{
    struct fields *fields = reader->fields;
    size_t first = fields->parts, name_room = reader->part_room;

    if (first + count > PARTS_MOST)
        return 0;
    if (first + count > reader->part_room) {
        struct accesses_part *part = grown(reader, fields->part, first + count, &reader->part_room,
                                           sizeof *part);
        char **name = part == NULL ? NULL : grown(reader, fields->name, first + count, &name_room,
                                                  sizeof *name);

        fields->part = part != NULL ? part : fields->part;
        fields->name = name != NULL ? name : fields->name;
        if (name == NULL)
            return 0;
    }
    memset(fields->part + first, 0, count * sizeof fields->part[0]);
    memset(fields->name + first, 0, count * sizeof fields->name[0]);
    fields->parts += count;
    return (uint32_t)first;
}

static void lengthen_path(struct reader *reader, const char *before, const char *name,
                          const char *after)
{
    size_t length = strlen(reader->path);

    snprintf(reader->path + length, PATH_BYTES - length, "%s%s%s", before, name, after);
}

static bool name_part(struct reader *reader, uint32_t number)
{
    reader->fields->name[number] = strdup(reader->path);
    reader->lacks_memory |= reader->fields->name[number] == NULL;
    return !reader->lacks_memory;
}

/* One "[]" a dimension; *type becomes that of the elements. Returns their bytes. */
static uint64_t enter_array(struct reader *reader, Dwarf_Die *type)
{
    for (unsigned step = 0; step < DEPTH_MOST && dwarf_tag(type) == DW_TAG_array_type; step++) {
        Dwarf_Die child;

        if (dwarf_child(type, &child) == 0)
            do {
                if (dwarf_tag(&child) == DW_TAG_subrange_type)
                    lengthen_path(reader, "[]", "", "");
            } while (dwarf_siblingof(&child, &child) == 0);
        if (!take_type(type))
            return 0;
    }
    return bytes_of(type);
}

static void add_parts(struct reader *reader, uint32_t number, Dwarf_Die *type, unsigned depth);

static void add_member_part(struct reader *reader, uint32_t number, struct member *member,
                            unsigned depth)
{
    size_t length = strlen(reader->path);

    reader->fields->part[number].start = member->start;
    reader->fields->part[number].end = member->end;
    lengthen_path(reader, member->is_joined ? ".(" : ".", member->name,
                  member->is_joined ? ")" : "");
    if (member->is_joined)
        name_part(reader, number);
    else
        add_parts(reader, number, &member->type, depth);
    reader->path[length] = '\0';
}

/* Names a part, whose bytes are known, and divides it by its type. */
static void add_parts(struct reader *reader, uint32_t number, Dwarf_Die *type, unsigned depth)
{
    struct members members = {.count = 0};
    uint32_t first = 0;

    if (dwarf_tag(type) == DW_TAG_array_type)
        reader->fields->part[number].stride = enter_array(reader, type);
    if (!name_part(reader, number))
        return;
    if (depth < DEPTH_MOST && is_structure(type))
        collect(reader, &members, type, 0, depth);
    tidy(&members);
    if (members.count != 0)
        first = reserve(reader, members.count);
    if (first != 0) {
        reader->fields->part[number].first = first;
        reader->fields->part[number].parts = (uint32_t)members.count;
    }
    for (uint32_t i = 0; first != 0 && i < members.count && !reader->lacks_memory; i++)
        add_member_part(reader, first + i, &members.member[i], depth + 1);
    free(members.member);
}

/* ---- variables ------------------------------------------------------------------------------- */

/* The address of a variable that has one of its own. */
static bool address_of(Dwarf_Die *die, uint64_t *address)
{
    Dwarf_Attribute attribute, place;
    Dwarf_Op *op;
    size_t ops;
    Dwarf_Addr found;

    if (dwarf_attr(die, DW_AT_location, &attribute) == NULL ||
        dwarf_getlocation(&attribute, &op, &ops) != 0 || ops != 1)
        return false;
    found = op->number;
    if (op->atom == DW_OP_addrx)
        return dwarf_getlocation_attr(&attribute, op, &place) == 0 &&
               dwarf_formaddr(&place, &found) == 0 && (*address = found) != 0;
    *address = found;
    return op->atom == DW_OP_addr;
}

static void add_variable(struct reader *reader, Dwarf_Die *die)
{
    struct variable variable = {.die = *die};

    if (!address_of(die, &variable.address))
        return;
    if (reader->variables == reader->variable_room) {
        struct variable *larger = grown(reader, reader->variable, reader->variables,
                                        &reader->variable_room, sizeof *larger);

        if (larger == NULL)
            return;
        reader->variable = larger;
    }
    variable.address += reader->symbols->bias;
    reader->variable[reader->variables++] = variable;
}

static void find_variables(struct reader *reader, Dwarf_Die *above, unsigned depth)
{
    Dwarf_Die die;

    if (depth == DEPTH_MOST || dwarf_child(above, &die) != 0)
        return;
    do {
        switch (dwarf_tag(&die)) {
        case DW_TAG_variable:
            add_variable(reader, &die);
            break;
        case DW_TAG_subprogram: case DW_TAG_lexical_block: case DW_TAG_inlined_subroutine:
        case DW_TAG_namespace: case DW_TAG_module:
            find_variables(reader, &die, depth + 1);
            break;
        default:
            break;
        }
    } while (dwarf_siblingof(&die, &die) == 0);
}

static int compare_variables(const void *a, const void *b)
{
    const struct variable *x = a, *y = b;

    return (x->address > y->address) - (x->address < y->address);
}

/* Adds the parts of a variable, which is named by the symbol at its address. */
static void add_root(struct reader *reader, struct variable *variable)
{
    struct fields *fields = reader->fields;
    const struct symbols_entry *entry = symbols_at(reader->symbols, variable->address);
    uint32_t part;

    if (entry == NULL || entry->is_function || entry->address != variable->address ||
        !take_type(&variable->die) || (part = reserve(reader, 1)) == 0)
        return;
    fields->part[part].end = entry->bytes != 0 ? entry->bytes : bytes_of(&variable->die);
    snprintf(reader->path, PATH_BYTES, "%s", entry->name);
    add_parts(reader, part, &variable->die, 0);
    fields->root[fields->roots++] = (struct fields_root){variable->address, part};
}

static enum err add_roots(struct reader *reader, struct diag *diag)
{
    struct fields *fields = reader->fields;

    fields->root = calloc(reader->variables + 1, sizeof fields->root[0]);
    if (fields->root == NULL || reader->lacks_memory)
        return diag_no_memory(diag, "fields");
    if (reader->variables != 0)
        qsort(reader->variable, reader->variables, sizeof reader->variable[0], compare_variables);
    reserve(reader, 1);                 /* none */
    for (size_t i = 0; i < reader->variables; i++)
        if (i == 0 || reader->variable[i].address != reader->variable[i - 1].address)
            add_root(reader, &reader->variable[i]);
    return reader->lacks_memory ? diag_no_memory(diag, "fields") : ERR_OK;
}

enum err fields_read(struct fields *fields, const struct symbols *symbols, struct diag *diag)
{
    struct reader reader = {.symbols = symbols, .fields = fields};
    Dwarf *dwarf = symbols_dwarf(symbols);
    Dwarf_Off offset = 0, next;
    size_t header_bytes;
    enum err err;

    *fields = (struct fields){.parts = 0};
    while (dwarf != NULL && !reader.lacks_memory &&
           dwarf_nextcu(dwarf, offset, &next, &header_bytes, NULL, NULL, NULL) == 0) {
        Dwarf_Die unit;

        if (dwarf_offdie(dwarf, offset + header_bytes, &unit) != NULL)
            find_variables(&reader, &unit, 0);
        offset = next;
    }
    err = add_roots(&reader, diag);
    free(reader.variable);
    return err;
}

void fields_free(struct fields *fields)
{
    for (size_t i = 0; i < fields->parts; i++)
        free(fields->name[i]);
    free(fields->name);
    free(fields->part);
    free(fields->root);
}

static bool is_up_to(const void *row, const void *address)
{
    const struct fields_root *root = row;

    return root->address <= *(const uint64_t *)address;
}

uint32_t fields_root_at(const struct fields *fields, uint64_t address)
{
    size_t place = sorted_place(fields->root, fields->roots, sizeof fields->root[0], is_up_to,
                                &address);

    return place != 0 && fields->root[place - 1].address == address ? fields->root[place - 1].part
                                                                    : 0;
}

bool fields_is_padding(const struct fields *fields, uint32_t part)
{
    return fields->part[part].parts != 0;
}
