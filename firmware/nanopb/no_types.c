/* The registry of a program without generated nanopb code. */
#include "nanopb/registry.h"

__attribute__((weak)) const struct nanopb_type nanopb_types[1] = {{0}};
__attribute__((weak)) const unsigned nanopb_type_count = 0;
__attribute__((weak)) const uint32_t nanopb_schema_id = 0;
