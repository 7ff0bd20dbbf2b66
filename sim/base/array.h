/* Arrays that grow by one element at a time, and copies of arrays with texts. */
#ifndef SIM_BASE_ARRAY_H
#define SIM_BASE_ARRAY_H

#include <stddef.h>

/* An array of `count` elements of `bytes` each with room for one more, moved if it must be. NULL:
 * no memory, and the array stays as it was. An array that nothing else enlarges has room for the
 * next power of two of its count, so its room is kept nowhere. It may shrink in between; what was
 * after its last element is then lost. NULL is an array of none. */
void *array_grow(void *array, size_t count, size_t bytes);

/* A copy of an array whose elements have a pointer to a text, `text` bytes after their start; the
 * texts are copied, too. array_free_texts is due. NULL: no memory. */
void *array_copy_texts(const void *array, size_t count, size_t bytes, size_t text);
void array_free_texts(void *array, size_t count, size_t bytes, size_t text);

#endif
