/* The parts of the demangled name of a C++ or Rust function. */
#ifndef PROF_API_API_NAME_H
#define PROF_API_API_NAME_H

#include <stddef.h>

/* For "int geo::twice<int>(int)": the text "geo::twice<int>(int)", and 3, the bytes of its
 * namespace or class; 0: it has none. The name of a template instance begins with its return
 * type. */
struct api_name { const char *text; size_t space_bytes; };
struct api_name api_name_of(const char *function);

#endif
