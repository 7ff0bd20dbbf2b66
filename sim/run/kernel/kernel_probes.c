/* See kernel_probes.h. A slot uses t6, which is free where a function begins. */
#include "sim/run/kernel/kernel_probes.h"

#include <stdlib.h>
#include <string.h>

#include "isa/insn.h"
#include "isa/op.h"
#include "sim/run/linux/process_internal.h"

enum { T6 = 31, WORD_AT = 48 };     /* WORD_AT: in a slot, the first of two constants */

struct slot { uint8_t byte[PROBE_SLOT_BYTES]; unsigned used; };

static void put(struct slot *slot, uint32_t insn, unsigned length)
{
    memcpy(slot->byte + slot->used, &insn, length);
    slot->used += length;
}

/* auipc t6, 0; ld rd, constant: the constant of this number. */
static void put_load(struct slot *slot, unsigned rd, unsigned number, uint64_t value)
{
    unsigned at = WORD_AT + 8 * number;

    memcpy(slot->byte + at, &value, sizeof value);
    put(slot, 0x17 | T6 << 7, 4);
    put(slot, 0x3003 | rd << 7 | T6 << 15 | (at - (slot->used - 4)) << 20, 4);
}

static void put_jump(struct slot *slot, unsigned number, uint64_t target)
{
    put_load(slot, T6, number, target);
    put(slot, 0x67 | T6 << 15, 4);              /* jr t6 */
}

/* Encodes the branch with the distance that skips itself and one jump (three instructions). */
static uint32_t branch_over_jump(const struct insn *insn)
{
    static const struct { uint16_t op; uint8_t funct3; } code[] = {
        {OP_beq, 0}, {OP_bne, 1}, {OP_blt, 4}, {OP_bge, 5}, {OP_bltu, 6}, {OP_bgeu, 7},
    };
    enum { DISTANCE = 16 };

    for (unsigned i = 0; i < sizeof code / sizeof code[0]; i++)
        if (insn->op == code[i].op)
            return 0x63u | DISTANCE << 7 | (uint32_t)code[i].funct3 << 12 |
                   (uint32_t)insn->rs1 << 15 | (uint32_t)insn->rs2 << 20;
    return 0;
}

static bool make_slot(struct slot *slot, const struct insn *insn, uint64_t address)
{
    uint64_t next = address + insn->length;
    uint32_t branch = branch_over_jump(insn);

    *slot = (struct slot){.used = 0};
    if (insn->op == OP_jal || insn->op == OP_jalr || insn->op == OP_illegal)
        return false;
    if (branch != 0) {
        put(slot, branch, 4);
        put_jump(slot, 0, next);
        put_jump(slot, 1, address + (uint64_t)(int64_t)insn->imm);
    } else if (insn->op == OP_auipc) {
        put_load(slot, insn->rd, 1, address + (uint64_t)(int64_t)insn->imm);
        put_jump(slot, 0, next);
    } else {
        put(slot, insn->bits, insn->length);
        put_jump(slot, 0, next);
    }
    return true;
}

/* SIZE_MAX: no segment has the address. */
static size_t segment_of(const struct image *image, uint64_t address)
{
    for (size_t i = 0; i < image->segment_count; i++)
        if (address - image->segments[i].vaddr < image->segments[i].file_bytes)
            return i;
    return SIZE_MAX;
}

/* Fills in everything except the instruction's place in memory. */
static enum err describe(const struct image *image, struct kernel_probe *probe, uint64_t address,
                         struct diag *diag)
{
    size_t number = segment_of(image, address);
    struct insn insn;
    struct slot slot;
    uint32_t bits = 0;
    uint64_t offset;

    if (number == SIZE_MAX)
        return diag_set(diag, ERR_USAGE, "0x%llx: no code of %s", (unsigned long long)address,
                        image->path);
    offset = address - image->segments[number].vaddr;
    memcpy(&bits, image->segments[number].bytes + offset,
           image->segments[number].file_bytes - offset < 4 ? 2 : 4);
    insn_decode(&insn, insn_length(bits) == 2 ? bits & 0xffff : bits);
    if (!make_slot(&slot, &insn, address))
        return diag_set(diag, ERR_USAGE, "0x%llx: the first instruction is a jump, which no "
                        "software probe can stand for", (unsigned long long)address);
    probe->address = address;
    memcpy(probe->slot, slot.byte, sizeof slot.byte);
    return ERR_OK;
}

static void locate(const struct machine *machine, struct kernel_probe *probe)
{
    size_t number = segment_of(machine->image, probe->address);

    probe->pa = machine->process->segments[number].paddr + probe->address -
                machine->image->segments[number].vaddr;
}

static bool is_known(const struct kernel_boot *info, uint64_t address)
{
    bool any = false;

    for (uint64_t i = 0; i < info->probes; i++)
        any |= info->probe[i].address == address;
    return any;
}

/* Describes the routines that leave frames without a return, if the image has them, a slot can
 * replace their first instruction, and there is room. */
static void describe_unwinder(const struct image *image, struct kernel_boot *info)
{
    static const struct { const char *name; enum kernel_probe_kind kind; } routine[] = {
        {"_Unwind_RaiseException", KERNEL_PROBE_UNWIND},
        {"_Unwind_Resume", KERNEL_PROBE_UNWIND},
        {"_Unwind_Resume_or_Rethrow", KERNEL_PROBE_UNWIND},
        {"_Unwind_ForcedUnwind", KERNEL_PROBE_UNWIND},
        {"_Unwind_SetIP", KERNEL_PROBE_LANDING},
        {"__longjmp", KERNEL_PROBE_LONGJMP},
        /* a shared C library does not name it; its caller has the same argument */
        {"longjmp", KERNEL_PROBE_LONGJMP},
        {"__longjmp_chk", KERNEL_PROBE_LONGJMP},
    };
    bool has_longjmp = image_find_symbol(image, "__longjmp") != NULL;

    for (size_t i = 0; i < sizeof routine / sizeof routine[0]; i++) {
        const struct image_symbol *symbol = image_find_symbol(image, routine[i].name);
        struct kernel_probe *probe = &info->probe[info->probes];

        if (symbol == NULL || info->probes == KERNEL_PROBES || is_known(info, symbol->addr) ||
            (has_longjmp && routine[i].kind == KERNEL_PROBE_LONGJMP &&
             strcmp(routine[i].name, "__longjmp") != 0) ||
            describe(image, probe, symbol->addr, NULL) != ERR_OK)
            continue;
        probe->kind = routine[i].kind;
        info->probes++;
    }
}

enum err kernel_probes_describe(const struct machine *machine, struct kernel_boot *info,
                                struct diag *diag)
{
    const struct kernel_wants *wants = machine->wants;
    enum err err = ERR_OK;

    info->has_limits = machine->has_limits;
    if (wants == NULL)
        return ERR_OK;
    info->words = wants->words;
    for (unsigned i = 0; i < wants->probes && err == ERR_OK; i++)
        err = describe(machine->image, &info->probe[info->probes++], wants->probe[i], diag);
    if (err == ERR_OK && wants->probes != 0)
        describe_unwinder(machine->image, info);
    for (uint64_t i = 0; i < info->probes && err == ERR_OK; i++)
        locate(machine, &info->probe[i]);
    return err;
}

void kernel_probes_of_library(struct phys *phys, const char *path, uint64_t bias)
{
    struct kernel_boot *info = calloc(1, sizeof *info);
    struct image image;

    if (info == NULL || !phys_copy_out(phys, KERNEL_BOOT_PA, info, sizeof *info) ||
        info->probes == 0 || image_open_module(&image, path, bias, NULL) != ERR_OK) {
        free(info);
        return;
    }
    describe_unwinder(&image, info);
    phys_copy_in(phys, KERNEL_BOOT_PA, info, sizeof *info);
    image_close(&image);
    free(info);
}
