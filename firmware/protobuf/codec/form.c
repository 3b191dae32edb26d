#include "protobuf/codec/form.h"

#include "runtime/registers.h"

#define FORM(name, code, wire, shift, list, form) [code] = {form, wire, shift, list},

const struct type_form protobuf_type_forms[32] = {HW_FIELD_TYPES(FORM)};
