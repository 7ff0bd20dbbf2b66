/* Files that a process maps where its program had another file before: a library that comes after
 * one has gone, or in another process of the program. Addresses there are no longer unique, so each
 * file at each such place has the number of a program of its own (pmu/key.h), and each process a
 * list of the places at which it has one. */
#ifndef SIM_HOST_COVERS_H
#define SIM_HOST_COVERS_H

#include <stdbool.h>

#include "pmu/key.h"
#include "pmu/pmu_thread.h"

struct covers_file { char *path; uint64_t bias; };
struct covers { struct covers_file *file; size_t files; };

/* The number, shifted, of the file at its addresses plus bias, which has the number of its program.
 * 0: no memory, or too many. */
uint64_t covers_number(struct covers *covers, const char *path, uint64_t bias);
void covers_free(struct covers *covers);

/* Of one process. */
struct cover_list { struct pmu_cover *cover; size_t covers; };

/* From now on the process has nothing else at these addresses. False: it had nothing before. */
bool cover_list_clear(struct cover_list *list, uint64_t start, uint64_t end);
/* These return false if there is no memory. */
bool cover_list_add(struct cover_list *list, const struct pmu_cover *cover);
bool cover_list_copy(struct cover_list *list, const struct cover_list *from);
void cover_list_free(struct cover_list *list);

#endif
