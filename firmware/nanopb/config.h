/* nanopb's configuration: its fastest options for messages in memory, and pointers into a bump arena. pb.h includes it
 * (PB_SYSTEM_HEADER). A user's own program (NANOPB_CALLBACKS) also has streams of callbacks. */
#ifndef HW_NANOPB_CONFIG_H
#define HW_NANOPB_CONFIG_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifndef NANOPB_CALLBACKS
#define PB_BUFFER_ONLY 1 /* streams are memory: no calls through function pointers */
#endif
#define PB_LITTLE_ENDIAN_8BIT 1 /* fixed-size values are copied */
#define PB_FIELD_32BIT 1        /* values may have more than 64 KB */
#define PB_ENABLE_MALLOC 1

#define pb_realloc nanopb_realloc
#define pb_free nanopb_free

void *nanopb_realloc(void *block, size_t size);
void nanopb_free(void *block);

#endif
