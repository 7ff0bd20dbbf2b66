/* Magic instructions (machine.magic): requests of a program to the simulator. Source: gem5,
 * include/gem5/asm/generic/m5ops.h, which defines the numbers. */
#ifndef SIM_CORE_MAGIC_H
#define SIM_CORE_MAGIC_H

enum cpu_magic {
    CPU_MAGIC_EXIT = 0x21, CPU_MAGIC_FAIL = 0x22, CPU_MAGIC_RESET = 0x40, CPU_MAGIC_DUMP = 0x41,
    CPU_MAGIC_DUMP_RESET = 0x42, CPU_MAGIC_CHECKPOINT = 0x43, CPU_MAGIC_SWITCH = 0x52,
    CPU_MAGIC_BEGIN = 0x5a, CPU_MAGIC_END = 0x5b,
};

#endif
