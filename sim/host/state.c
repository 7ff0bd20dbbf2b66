/* Writes have the effects of an instruction's writes, without an instruction. */
#include "sim/host/state.h"

#include "sim/core/csr_access.h"

/* ---- registers ------------------------------------------------------------------------------- */

void state_view(const struct machine *machine, unsigned hart, struct hart *view)
{
    if (machine->running == ENGINE_DETAILED && machine->core[hart] != NULL)
        core_view(machine->core[hart], view);
    else
        *view = machine->cpu[hart].hart;
}

/* ---- memory ---------------------------------------------------------------------------------- */

enum access { ACCESS_PROBE, ACCESS_READ, ACCESS_WRITE };

static bool find(const struct cpu *cpu, unsigned priv, uint64_t address, uint64_t *pa)
{
    return mmu_probe(&cpu->mmu, address, MMU_LOAD, priv, pa) == TRAP_NONE ||
           mmu_probe(&cpu->mmu, address, MMU_FETCH, priv, pa) == TRAP_NONE;
}

/* Copies memory at `address` to or from `bytes`, or only checks that it is accessible, page by
 * page. */
static bool copy(struct cpu *cpu, unsigned priv, uint64_t address, unsigned char *bytes,
                 size_t count, enum access access)
{
    uint64_t pa, piece;

    for (; count != 0; count -= piece, address += piece, bytes += piece) {
        piece = PHYS_PAGE_BYTES - address % PHYS_PAGE_BYTES;
        piece = piece < count ? piece : count;
        if (!find(cpu, priv, address, &pa) || !phys_is_ram(cpu->phys, pa, (unsigned)piece))
            return false;
        if (access == ACCESS_READ && !phys_copy_out(cpu->phys, pa, bytes, piece))
            return false;
        if (access == ACCESS_WRITE && !phys_copy_in(cpu->phys, pa, bytes, piece))
            return false;
    }
    return true;
}

bool state_read(struct cpu *cpu, unsigned priv, uint64_t address, unsigned char *bytes,
                size_t count)
{
    return copy(cpu, priv, address, bytes, count, ACCESS_PROBE) &&
           copy(cpu, priv, address, bytes, count, ACCESS_READ);
}

bool state_write(struct cpu *cpu, unsigned priv, uint64_t address, const unsigned char *bytes,
                 size_t count)
{
    unsigned char *from = (unsigned char *)(uintptr_t)bytes;

    return copy(cpu, priv, address, from, count, ACCESS_PROBE) &&
           copy(cpu, priv, address, from, count, ACCESS_WRITE);
}

/* ---- registers ------------------------------------------------------------------------------- */

void state_set_word(struct hart *hart, uint64_t *word, uint64_t value)
{
    bool is_fp = word >= &hart->reg[REG_F0] && word < &hart->reg[REG_SINK];

    *word = word == &hart->pc ? value & ~UINT64_C(1) : value;
    if (is_fp)
        hart->mstatus |= MSTATUS_FS;
}

/* machine_changed tells the engines about effects that the write of an instruction would have. */
bool state_set_csr(struct cpu *cpu, unsigned number, uint64_t value)
{
    unsigned effects = 0;
    uint64_t old, modify;

    if ((number >> 10 & 3) == 3 || !cpu_csr_read(cpu, number, &old, &modify) ||
        !cpu_csr_write(cpu, number, value, &effects))
        return false;
    cpu->pmu.is_writer = false;
    pmu_written_outside(&cpu->pmu);
    cpu_profiling_changed(cpu);
    return true;
}
