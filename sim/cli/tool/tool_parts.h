/* The cycles of a run under the guest kernel, divided into user mode, kernel and idle on the hart
 * that took longest: as columns and JSON members for commands with several runs. */
#ifndef SIM_CLI_TOOL_TOOL_PARTS_H
#define SIM_CLI_TOOL_TOOL_PARTS_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct job;

/* In user mode, in the kernel, and idle. */
struct tool_parts {
    uint64_t user, kernel, idle;
    bool is_known;                  /* false: the run was without the guest kernel */
};

/* Cycles of the hart that took longest; with routines at a virtual speed (sim/run/faster.h), its
 * time. */
uint64_t tool_parts_cycles(const struct job *job);
/* The parts of tool_parts_cycles, which is their sum. */
struct tool_parts tool_parts_of(const struct job *job);

/* These write nothing if the parts are unknown; columns of CSV are then empty. */
enum { TOOL_PARTS_WIDTH = 51 };     /* of the columns as text */
void tool_parts_heads(const struct tool_parts *parts, FILE *out);
void tool_parts_print(const struct tool_parts *parts, FILE *out);
#define TOOL_PARTS_CSV ",user_cycles,kernel_cycles,idle_cycles"
void tool_parts_csv(const struct tool_parts *parts, FILE *out);
void tool_parts_json(const struct tool_parts *parts, cJSON *object);

#endif
