/* nanopb's options in the tests: callbacks, and pointers allocated by protobuf/nanopb/allocate.c. */
#ifndef SYSTEM_H
#define SYSTEM_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define PB_ENABLE_MALLOC 1
#define pb_realloc nanopb_realloc
#define pb_free nanopb_free

void *nanopb_realloc(void *block, size_t size);
void nanopb_free(void *block);

#endif
