/* The parts of the name of a function of C++ or Rust, as it is demangled. */
#ifndef PROF_API_API_NAME_H
#define PROF_API_API_NAME_H

#include <stddef.h>

/* "geo::twice<int>(int)" of "int geo::twice<int>(int)", and the 3 bytes of its namespace or class;
 * 0: it has none. A template's name begins with the type that it returns. */
struct api_name { const char *text; size_t space_bytes; };
struct api_name api_name_of(const char *function);

#endif
