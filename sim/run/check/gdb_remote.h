/* The client's side of gdb's remote serial protocol, as QEMU serves it: registers by name, physical
 * memory, single steps. Packets are acknowledged; nothing else may use the descriptor.
 * Source: "Debugging with GDB", appendix E; QEMU's gdb documentation for physical memory. */
#ifndef SIM_RUN_GDB_REMOTE_H
#define SIM_RUN_GDB_REMOTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gdb_remote;

/* Talks over fd, which stays the caller's. NULL: no memory, or no peer that speaks the
 * protocol and describes its registers. */
struct gdb_remote *gdb_remote_new(int fd);
void gdb_remote_free(struct gdb_remote *remote);

/* The number of the register with this name in the target's description ("a0", "pc"), or -1. */
int gdb_remote_register(const struct gdb_remote *remote, const char *name);
/* Each function returns false if the other side refuses or is gone. Values are at most 64 bits
 * wide. */
bool gdb_remote_get(struct gdb_remote *remote, int number, uint64_t *value);
bool gdb_remote_set(struct gdb_remote *remote, int number, uint64_t value);
/* Reads x0..x31 and pc in one packet. */
bool gdb_remote_get_integers(struct gdb_remote *remote, unsigned xlen, uint64_t value[33]);
/* Makes all later memory addresses physical. */
bool gdb_remote_use_physical(struct gdb_remote *remote);
bool gdb_remote_write(struct gdb_remote *remote, uint64_t address, const uint8_t *bytes,
                      size_t count);
/* Selects the hart (from 0 on) for registers and steps. */
bool gdb_remote_select(struct gdb_remote *remote, unsigned hart);
/* Steps one instruction; is_alone: the other harts stand still. */
bool gdb_remote_step(struct gdb_remote *remote, bool is_alone);

#endif
