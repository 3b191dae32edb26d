/* Cereal behind the interface of object streams (runtime/object_stream.h): one Cereal stream per root. */
#ifndef HW_CEREAL_OBJECTS_H
#define HW_CEREAL_OBJECTS_H

#include "runtime/object_stream.h"
#include "cereal/cereal.h"

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

struct hw_object_output *hw_cereal_object_output(struct hw_cereal_object_output *made, struct hw_cereal *context,
                                                 struct hw_cereal_output *output);
struct hw_object_input *hw_cereal_object_input(struct hw_cereal_object_input *made, struct hw_cereal *context,
                                               struct hw_cereal_input *input);

#endif
