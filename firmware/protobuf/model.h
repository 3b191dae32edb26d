/* Object models of the protobuf units. The units always have managed objects, and beside them one other model: at first
 * nanopb's structs. The programs are in generated headers: heapwire_model_NAME.h. */
#ifndef HW_PROTOBUF_MODEL_H
#define HW_PROTOBUF_MODEL_H

#include <stdbool.h>
#include <stdint.h>

/* Loads a model's program into all protobuf units, in the place of the one that they have. Returns false if there is no
 * unit, or if the units have had a command since the last reset: then they keep what they have. Interrupt handlers must
 * not submit commands meanwhile. */
bool hw_protobuf_load_model(const uint32_t *words, uint32_t count);

#endif
