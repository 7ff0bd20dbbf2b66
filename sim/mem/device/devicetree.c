/* The device tree a kernel or firmware reads at boot, made with libfdt.
 *
 * It lists the devices of struct devices and the extensions of the hart, nothing else. The blob
 * keeps free space at its end, so that later nodes (performance monitor) and firmware's own
 * additions fit in place. */
#include <libfdt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/csr.h"
#include "pmu/abi.h"
#include "sim/mem/device/devices.h"

enum { TREE_BYTES = 64 << 10, SPARE_BYTES = 4 << 10, ISA_BYTES = 256 };
enum { PHANDLE_PLIC = 1, PHANDLE_HART = 2 };    /* hart i: PHANDLE_HART + i */

/* The first error of libfdt sticks. */
struct builder {
    void *blob;
    int error;
};

static void note(struct builder *builder, int result)
{
    if (builder->error == 0 && result < 0) {
        builder->error = result;
    }
}

static void begin(struct builder *builder, const char *name)
{
    note(builder, fdt_begin_node(builder->blob, name));
}

static void begin_at(struct builder *builder, const char *name, uint64_t address)
{
    char full[64];
    snprintf(full, sizeof full, "%s@%llx", name, (unsigned long long)address);
    begin(builder, full);
}

static void end(struct builder *builder)
{
    note(builder, fdt_end_node(builder->blob));
}

static void flag(struct builder *builder, const char *name)
{
    note(builder, fdt_property(builder->blob, name, NULL, 0));
}

static void text(struct builder *builder, const char *name, const char *value)
{
    note(builder, fdt_property(builder->blob, name, value, (int)strlen(value) + 1));
}

static void cell(struct builder *builder, const char *name, uint32_t value)
{
    note(builder, fdt_property_u32(builder->blob, name, value));
}


static void window(struct builder *builder, uint64_t base, uint64_t bytes)
{
    const fdt64_t cells[2] = {cpu_to_fdt64(base), cpu_to_fdt64(bytes)};
    note(builder, fdt_property(builder->blob, "reg", cells, sizeof cells));
}

static void cell_sizes(struct builder *builder, uint32_t address_cells, uint32_t size_cells)
{
    cell(builder, "#address-cells", address_cells);
    cell(builder, "#size-cells", size_cells);
}

/* ---- nodes ----------------------------------------------------------------------------------- */

static void add_chosen(struct builder *builder, const struct devicetree *tree)
{
    char uart[64];
    begin(builder, "chosen");
    if (tree->bootargs != NULL) {
        text(builder, "bootargs", tree->bootargs);
    }
    if (tree->initrd_bytes != 0) {
        uint64_t initrd_end = tree->initrd_pa + tree->initrd_bytes;
        note(builder, fdt_property_u64(builder->blob, "linux,initrd-start", tree->initrd_pa));
        note(builder, fdt_property_u64(builder->blob, "linux,initrd-end", initrd_end));
    }
    snprintf(uart, sizeof uart, "/soc/serial@%llx", (unsigned long long)UART_BASE);
    text(builder, "stdout-path", uart);
    end(builder);
}

static void add_memory(struct builder *builder, const struct devicetree *tree,
                       const struct phys *phys)
{
    begin_at(builder, "memory", PHYS_RAM_BASE);
    text(builder, "device_type", "memory");
    window(builder, PHYS_RAM_BASE, phys->ram_bytes);
    end(builder);
    if (tree->reserved_bytes == 0) {
        return;
    }
    begin(builder, "reserved-memory");
    cell_sizes(builder, 2, 2);
    flag(builder, "ranges");
    begin_at(builder, "monitor", tree->reserved_pa);
    window(builder, tree->reserved_pa, tree->reserved_bytes);
    flag(builder, "no-map");
    end(builder);
    end(builder);
}

/* "imafdc_zicsr_..." as a list: single letters, then the names. */
static void add_isa_list(struct builder *builder, const char *isa)
{
    char list[2 * ISA_BYTES];      /* a terminator after each letter */
    size_t length = 0;
    bool is_name = false;
    for (const char *from = isa; *from != '\0'; from++) {
        if (*from == '_') {
            is_name = true;
            list[length++] = '\0';
        } else {
            list[length++] = *from;
            if (!is_name && from[1] != '_') {
                list[length++] = '\0';
            }
        }
    }
    list[length++] = '\0';
    note(builder, fdt_property(builder->blob, "riscv,isa-extensions", list, (int)length));
}

static void add_isa(struct builder *builder, unsigned xlen, bool has_records)
{
    char isa[ISA_BYTES];
    snprintf(isa, sizeof isa, "rv%u" HART_ISA_STRING HART_ISA_PROFILING "%s",
             xlen == 32 ? 32u : 64u, has_records ? HART_ISA_RECORDS : "");
    text(builder, "riscv,isa", isa);
    text(builder, "riscv,isa-base", xlen == 32 ? "rv32i" : "rv64i");
    add_isa_list(builder, isa + strlen("rv64"));
    text(builder, "mmu-type", xlen == 32 ? "riscv,sv32" : "riscv,sv48");
}

static void add_hart(struct builder *builder, uint32_t id, unsigned xlen,
                     const struct config *config)
{
    begin_at(builder, "cpu", id);
    text(builder, "device_type", "cpu");
    cell(builder, "reg", id);
    text(builder, "status", "okay");
    text(builder, "compatible", "riscv");
    add_isa(builder, xlen, config->pmu_ctr_depth != 0);
    note(builder, fdt_property_u64(builder->blob, "clock-frequency",
                                   config->machine_clock_mhz * UINT64_C(1000000)));
    begin(builder, "interrupt-controller");
    cell(builder, "#interrupt-cells", 1);
    flag(builder, "interrupt-controller");
    text(builder, "compatible", "riscv,cpu-intc");
    cell(builder, "phandle", PHANDLE_HART + id);
    end(builder);
    end(builder);
}

static void add_harts(struct builder *builder, unsigned hart_count, unsigned xlen,
                      const struct config *config)
{
    uint64_t timebase =
        config->machine_clock_mhz * UINT64_C(1000000) / config->machine_timebase_divider;
    begin(builder, "cpus");
    cell_sizes(builder, 1, 0);
    cell(builder, "timebase-frequency", (uint32_t)timebase);
    for (uint32_t id = 0; id < hart_count; id++) {
        add_hart(builder, id, xlen, config);
    }
    end(builder);
}

/* The interrupts of each hart that a controller drives. */
static void add_interrupts(struct builder *builder, unsigned hart_count, uint32_t first,
                           uint32_t second)
{
    fdt32_t cells[DEVICES_HARTS_MAX][4];
    for (uint32_t id = 0; id < hart_count; id++) {
        cells[id][0] = cells[id][2] = cpu_to_fdt32(PHANDLE_HART + id);
        cells[id][1] = cpu_to_fdt32(first);
        cells[id][3] = cpu_to_fdt32(second);
    }
    note(builder, fdt_property(builder->blob, "interrupts-extended", cells,
                               (int)(hart_count * sizeof cells[0])));
}

static void texts(struct builder *builder, const char *name, const char *values, size_t bytes)
{
    note(builder, fdt_property(builder->blob, name, values, (int)bytes));
}

static void add_clint(struct builder *builder, unsigned hart_count)
{
    static const char compatible[] = "sifive,clint0\0riscv,clint0";
    begin_at(builder, "clint", CLINT_BASE);
    texts(builder, "compatible", compatible, sizeof compatible);
    window(builder, CLINT_BASE, CLINT_BYTES);
    add_interrupts(builder, hart_count, IRQ_MSI, IRQ_MTI);
    end(builder);
}

static void add_plic(struct builder *builder, unsigned hart_count)
{
    static const char compatible[] = "sifive,plic-1.0.0\0riscv,plic0";
    begin_at(builder, "plic", PLIC_BASE);
    texts(builder, "compatible", compatible, sizeof compatible);
    window(builder, PLIC_BASE, PLIC_BYTES);
    cell(builder, "#interrupt-cells", 1);
    cell(builder, "#address-cells", 0);
    flag(builder, "interrupt-controller");
    cell(builder, "riscv,ndev", PLIC_SOURCES - 1);
    cell(builder, "phandle", PHANDLE_PLIC);
    add_interrupts(builder, hart_count, IRQ_MEI, IRQ_SEI);
    end(builder);
}

static void add_uart(struct builder *builder)
{
    begin_at(builder, "serial", UART_BASE);
    text(builder, "compatible", "ns16550a");
    window(builder, UART_BASE, UART_BYTES);
    cell(builder, "clock-frequency", 3686400);
    cell(builder, "interrupt-parent", PHANDLE_PLIC);
    cell(builder, "interrupts", UART_IRQ);
    end(builder);
}

static void add_finisher(struct builder *builder)
{
    static const char compatible[] = "sifive,test1\0sifive,test0\0syscon";
    begin_at(builder, "test", FINISHER_BASE);
    texts(builder, "compatible", compatible, sizeof compatible);
    window(builder, FINISHER_BASE, FINISHER_BYTES);
    end(builder);
}

static void add_window(struct builder *builder, unsigned hart_count, const struct config *config)
{
    if (config->pmu_window_base == 0) {
        return;
    }
    begin_at(builder, "profiling", config->pmu_window_base);
    text(builder, "compatible", "rvsim,profiling-window");
    window(builder, config->pmu_window_base, (uint64_t)hart_count * PROF_WINDOW_BYTES);
    end(builder);
}

static void build(struct builder *builder, const struct devicetree *tree,
                  const struct devices *devices, const struct config *config)
{
    note(builder, fdt_create(builder->blob, TREE_BYTES));
    note(builder, fdt_finish_reservemap(builder->blob));
    begin(builder, "");
    cell_sizes(builder, 2, 2);
    text(builder, "compatible", "rvsim,virt");
    text(builder, "model", "rvsim");
    add_chosen(builder, tree);
    add_memory(builder, tree, devices->phys);
    add_harts(builder, devices->hart_count, tree->xlen, config);
    begin(builder, "soc");
    cell_sizes(builder, 2, 2);
    text(builder, "compatible", "simple-bus");
    flag(builder, "ranges");
    add_finisher(builder);
    add_clint(builder, devices->hart_count);
    add_plic(builder, devices->hart_count);
    add_uart(builder);
    add_window(builder, devices->hart_count, config);
    end(builder);
    end(builder);
    note(builder, fdt_finish(builder->blob));
}

/* ---- placing --------------------------------------------------------------------------------- */

static uint64_t place(const struct phys *phys, void *blob, uint64_t below)
{
    uint64_t top = PHYS_RAM_BASE + phys->ram_bytes;
    uint64_t limit = below != 0 && below < top ? below : top;
    uint64_t bytes = fdt_totalsize(blob);
    return limit - PHYS_RAM_BASE < bytes
               ? 0 : (limit - bytes) & ~(uint64_t)(PHYS_PAGE_BYTES - 1);
}

uint64_t devicetree_place(const struct devicetree *tree, const struct devices *devices,
                          const struct config *config)
{
    struct builder builder = {.blob = malloc(TREE_BYTES)};
    uint64_t pa = 0;
    if (builder.blob == NULL) {
        return 0;
    }
    build(&builder, tree, devices, config);
    if (builder.error == 0) {
        note(&builder, fdt_open_into(builder.blob, builder.blob,
                                     (int)fdt_totalsize(builder.blob) + SPARE_BYTES));
    }
    if (builder.error == 0) {
        pa = place(devices->phys, builder.blob, tree->below);
    }
    if (pa != 0 && !phys_copy_in(devices->phys, pa, builder.blob, fdt_totalsize(builder.blob))) {
        pa = 0;
    }
    free(builder.blob);
    return pa;
}
