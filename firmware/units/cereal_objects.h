/* Cereal behind the interface of object streams (codecs/objects/stream.h): one Cereal stream per root. */
#ifndef HW_UNITS_CEREAL_OBJECTS_H
#define HW_UNITS_CEREAL_OBJECTS_H

#include "codecs/objects/stream.h"
#include "units/cereal.h"

struct hw_cereal_object_output {
    struct hw_object_output stream;
    struct hw_cereal *context; /* has the status */
    struct hw_cereal_output *output;
};

struct hw_cereal_object_input {
    struct hw_object_input stream;
    struct hw_cereal *context;
    struct hw_cereal_input *input;
};

struct hw_object_output *hw_cereal_object_output(struct hw_cereal_object_output *made, struct hw_cereal *context, struct hw_cereal_output *output);
struct hw_object_input *hw_cereal_object_input(struct hw_cereal_object_input *made, struct hw_cereal *context, struct hw_cereal_input *input);

#endif
