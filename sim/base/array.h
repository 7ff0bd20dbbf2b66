/* Arrays that grow by one element at a time, and copies of arrays with texts. */
#ifndef SIM_BASE_ARRAY_H
#define SIM_BASE_ARRAY_H

#include <stddef.h>

/* Makes room for one more element in an array of `count` elements of `bytes` each, and returns the
 * array, which may have moved. NULL: no memory, and the array is unchanged. The capacity follows
 * from `count`: at least the next power of two. So it need not be stored, and only this function
 * may enlarge the array. If the array has shrunk, data after its last element may be lost. A null
 * pointer is an empty array. */
void *array_grow(void *array, size_t count, size_t bytes);

/* A copy of an array whose elements have a pointer to a text, `text` bytes after their start; the
 * texts are copied, too. array_free_texts is due. NULL: no memory. */
void *array_copy_texts(const void *array, size_t count, size_t bytes, size_t text);
void array_free_texts(void *array, size_t count, size_t bytes, size_t text);

#endif
