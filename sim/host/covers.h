/* Covering files: files that a process maps where its program had another file before. The earlier
 * file was unmapped, or belongs to another process of the program. Addresses there are ambiguous,
 * so each covering file, at each place, has a program number of its own (pmu/key.h), and each
 * process has a list of the places at which it maps such files. */
#ifndef SIM_HOST_COVERS_H
#define SIM_HOST_COVERS_H

#include <stdbool.h>

#include "pmu/key.h"
#include "pmu/pmu_thread.h"

struct covers_file { char *path; uint64_t bias; };
struct covers { struct covers_file *file; size_t files; };

/* The number, shifted as in a key, of a file mapped at its addresses plus bias, which includes the
 * number of its program. 0: no memory, or too many. */
uint64_t covers_number(struct covers *covers, const char *path, uint64_t bias);
void covers_free(struct covers *covers);

/* The places at which one process maps covering files. */
struct cover_list { struct pmu_cover *cover; size_t covers; };

/* Removes the places that overlap these addresses. False: there was none. */
bool cover_list_clear(struct cover_list *list, uint64_t start, uint64_t end);
/* These return false if there is no memory. */
bool cover_list_add(struct cover_list *list, const struct pmu_cover *cover);
bool cover_list_copy(struct cover_list *list, const struct cover_list *from);
void cover_list_free(struct cover_list *list);

#endif
