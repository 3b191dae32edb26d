#include "runtime/registers.h"

/* Klasses of the registers, by register index; only those from the first class word on are used. */
static struct hw_klass klasses[HW_REGISTERS];

const struct hw_klass hw_message_klass = {
    .object_size = HW_OBJECT_HEADER_SIZE,
    .kind = HW_KLASS_KIND_INSTANCE,
    .id = 1,
};

static _Alignas(HW_OBJECT_ALIGNMENT) struct hw_array_list no_unknown_fields;

/* The slot that is an instance's only reference: of a view the first one, of byte strings and array lists the second
 * one. */
enum { FIRST_SLOT = 1u << 0, SECOND_SLOT = 1u << 1 };

static void define(uint32_t index, const char *name, uint32_t size, uint32_t references) {
    struct hw_klass *klass = &klasses[index];

    klass->object_size = size;
    klass->kind = HW_KLASS_KIND_INSTANCE;
    klass->id = 2 + index;
    klass->reference_bitmap = references;
    klass->name = hw_reference(name);
    hw_registers[index] = hw_reference(klass);
}

static void define_instance(uint32_t index, const char *name, uint32_t size) { define(index, name, size, SECOND_SLOT); }

static void define_array(uint32_t index, const char *name, uint32_t kind, uint32_t element_shift) {
    struct hw_klass *klass = &klasses[index];

    klass->kind = kind;
    klass->element_shift = element_shift;
    klass->id = 2 + index;
    klass->name = hw_reference(name);
    hw_registers[index] = hw_reference(klass);
}

void hw_well_known_init(void) {
    define_instance(HW_REG_KLASS_BYTE_STRING, "ByteString", HW_OBJECT_BYTE_STRING_SIZE);
    define(HW_REG_KLASS_BYTE_VIEW, "ByteView", HW_OBJECT_BYTE_VIEW_SIZE, FIRST_SLOT);
    define_instance(HW_REG_KLASS_INT_ARRAY_LIST, "IntArrayList", HW_OBJECT_ARRAY_LIST_SIZE);
    define_instance(HW_REG_KLASS_LONG_ARRAY_LIST, "LongArrayList", HW_OBJECT_ARRAY_LIST_SIZE);
    define_instance(HW_REG_KLASS_FLOAT_ARRAY_LIST, "FloatArrayList", HW_OBJECT_ARRAY_LIST_SIZE);
    define_instance(HW_REG_KLASS_DOUBLE_ARRAY_LIST, "DoubleArrayList", HW_OBJECT_ARRAY_LIST_SIZE);
    define_instance(HW_REG_KLASS_BOOLEAN_ARRAY_LIST, "BooleanArrayList", HW_OBJECT_ARRAY_LIST_SIZE);
    define_instance(HW_REG_KLASS_OBJECT_ARRAY_LIST, "ObjectArrayList", HW_OBJECT_ARRAY_LIST_SIZE);
    define_instance(HW_REG_KLASS_BYTE_ARRAY_LIST, "ByteArrayList", HW_OBJECT_ARRAY_LIST_SIZE);
    define_array(HW_REG_KLASS_BYTE_ARRAY, "byte[]", HW_KLASS_KIND_PRIMITIVE_ARRAY, 0);
    define_array(HW_REG_KLASS_INT_ARRAY, "int[]", HW_KLASS_KIND_PRIMITIVE_ARRAY, 2);
    define_array(HW_REG_KLASS_LONG_ARRAY, "long[]", HW_KLASS_KIND_PRIMITIVE_ARRAY, 3);
    define_array(HW_REG_KLASS_FLOAT_ARRAY, "float[]", HW_KLASS_KIND_PRIMITIVE_ARRAY, 2);
    define_array(HW_REG_KLASS_DOUBLE_ARRAY, "double[]", HW_KLASS_KIND_PRIMITIVE_ARRAY, 3);
    define_array(HW_REG_KLASS_BOOLEAN_ARRAY, "boolean[]", HW_KLASS_KIND_PRIMITIVE_ARRAY, 0);
    define_array(HW_REG_KLASS_OBJECT_ARRAY, "Object[]", HW_KLASS_KIND_OBJECT_ARRAY, 2);

    hw_registers[HW_REG_KLASS_LIST_BYTE_ARRAY] = hw_registers[HW_REG_KLASS_BYTE_ARRAY];

    no_unknown_fields.header.mark = HW_OBJECT_MARK_UNLOCKED;
    no_unknown_fields.header.klass = hw_registers[HW_REG_KLASS_BYTE_ARRAY_LIST];

    hw_registers[HW_REG_MARK_PROTOTYPE] = HW_OBJECT_MARK_UNLOCKED;
    hw_registers[HW_REG_UNKNOWN_FIELDS] = hw_reference(&no_unknown_fields);
}
