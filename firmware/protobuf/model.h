/* Object models of the protobuf units. The units always have managed objects, and beside them one other model: at first
 * nanopb's structs. The programs are in generated headers: heapwire_model_NAME.h. */
#ifndef HW_PROTOBUF_MODEL_H
#define HW_PROTOBUF_MODEL_H

#include <stdint.h>

enum hw_protobuf_load {
    HW_PROTOBUF_LOADED,
    HW_PROTOBUF_LOAD_NO_UNIT,     /* no unit, or no program */
    HW_PROTOBUF_LOAD_OTHER_BUILD, /* the program was made for other units: use the headers of these */
    HW_PROTOBUF_LOAD_LOCKED,      /* the units have had a command since the last reset */
};

/* Loads a model's program into all protobuf units, in the place of the one that they have. NO_UNIT and OTHER_BUILD
 * change nothing, nor does LOCKED before the first word. A command cuts a load off (LOCKED), so interrupt handlers must
 * not submit any meanwhile; a reset does, too. Of a model that was loaded in part, commands end with BAD_DESCRIPTOR. */
enum hw_protobuf_load hw_protobuf_load_model(const uint32_t *words, uint32_t count);

#endif
