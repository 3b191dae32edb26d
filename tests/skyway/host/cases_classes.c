/* The cases about classes: which ones get type ids, and what happens when the ids change. */
#include <string.h>

#include "unit_model.h"

/* Two classes of one name differ only in the names, types or offsets of their fields. */
CASE(versions) {
    begin(false);
    struct hw_klass *klass = (struct hw_klass *)(uintptr_t)HW_CLASS_ListNode;
    uint32_t own = skyway_fingerprint(klass);
    struct hw_klass other = *klass;

    EXPECT(hw_skyway_load_class(klass) == HW_STATUS_OK && klass->type_id != 0);
    EXPECT(skyway_fingerprint(&other) == own);
    other.id++; /* the fields of another class */
    EXPECT(skyway_fingerprint(&other) != own);
    other.id = 0;
    EXPECT(skyway_fingerprint(&other) != own);
    /* Two klasses of one class, with one name: the one loaded last has the id. The other one does not keep an id when
     * the first is forgotten. */
    static struct hw_klass twin;

    twin = *klass;
    EXPECT(hw_skyway_load_class(&twin) == HW_STATUS_OK && twin.type_id != 0 && klass->type_id == 0);
    EXPECT(hw_skyway_load_class(klass) == HW_STATUS_OK && klass->type_id != 0 && twin.type_id == 0);
    /* A restarted machine may find that the registry has the name with another layout. */
    hw_skyway_drive(8, &hw_skyway_java_loader);
    EXPECT(klass->type_id == 0 && skyway_registry_add("heapwire.tests.ListNode", 23, own + 1));
    EXPECT(hw_skyway_load_class(klass) == HW_SKYWAY_CLASS_CONFLICT && klass->type_id == 0);
    EXPECT(hw_skyway_shuffle_start() == HW_STATUS_OK);
    begin_output(8192, CASES_MEMORY);
    EXPECT(!hw_skyway_write(&output, list(1)) && output.status == HW_SKYWAY_CLASS_CONFLICT);
}

/* A klass that contradicts itself is not loaded, whoever assigns its id, even if a stream names it. */
CASE(bad_classes) {
    static const char name[] = "heapwire.test.Bad";
    static _Alignas(4) uint32_t bits[] = {2, 0, 1u << 3}, many[] = {1u << 20, 0};
    const uint32_t instance = HW_KLASS_KIND_INSTANCE, values = HW_KLASS_KIND_PRIMITIVE_ARRAY,
                   references = HW_KLASS_KIND_OBJECT_ARRAY, last = 28u << 3;
    const struct {
        uint32_t kind, size, shift, bitmap;
        uint16_t flags;
        int status;
    } rows[] = {
        {instance, 16, 0, 0, HW_KLASS_FLAG_METADATA, HW_STATUS_OK},
        {instance, 16, 0, 1u << 2, HW_KLASS_FLAG_METADATA, HW_SKYWAY_BAD_CLASS}, /* a reference beyond its end */
        {instance, 24, 0, 3u << 2, HW_KLASS_FLAG_METADATA, HW_STATUS_OK},
        {instance, 24, 0, 1u << 0, HW_KLASS_FLAG_METADATA, HW_SKYWAY_BAD_CLASS}, /* a reference in the metadata */
        {instance, 24, 0, 1u << 1, HW_KLASS_FLAG_METADATA, HW_SKYWAY_BAD_CLASS},
        {instance, 24, 0, 1u << 1, 0, HW_STATUS_OK},
        {instance, 8, 0, 0, 0, HW_STATUS_OK},
        {instance, 8, 0, 0, HW_KLASS_FLAG_METADATA, HW_SKYWAY_BAD_CLASS}, /* smaller than its header */
        {instance, 4, 0, 0, 0, HW_SKYWAY_BAD_CLASS},
        {instance, 0, 0, 0, HW_KLASS_FLAG_METADATA, HW_SKYWAY_BAD_CLASS},
        {instance, 20, 0, 0, HW_KLASS_FLAG_METADATA, HW_SKYWAY_BAD_CLASS}, /* not a size of objects */
        {instance, 8 + 4 * 30, 0, last, HW_KLASS_FLAG_METADATA, HW_STATUS_OK},
        {instance, 8 + 4 * 36, 0, HW_KLASS_LONG_BITMAP | hw_reference(bits) >> 1, HW_KLASS_FLAG_METADATA, HW_STATUS_OK},
        {instance, 8 + 4 * 34, 0, HW_KLASS_LONG_BITMAP | hw_reference(bits) >> 1, HW_KLASS_FLAG_METADATA,
         HW_SKYWAY_BAD_CLASS},
        {instance, 8 + 4 * 36, 0, HW_KLASS_LONG_BITMAP | hw_reference(many) >> 1, HW_KLASS_FLAG_METADATA,
         HW_SKYWAY_BAD_CLASS},
        {instance, 8 + 4 * 36, 0, HW_KLASS_LONG_BITMAP, HW_KLASS_FLAG_METADATA, HW_SKYWAY_BAD_CLASS},
        {values, 0, 3, 0, HW_KLASS_FLAG_METADATA, HW_STATUS_OK},
        {values, 0, 4, 0, HW_KLASS_FLAG_METADATA, HW_SKYWAY_BAD_CLASS},
        {values, 24, 2, 0, HW_KLASS_FLAG_METADATA, HW_SKYWAY_BAD_CLASS},      /* an array with an object size */
        {values, 0, 2, 1u << 2, HW_KLASS_FLAG_METADATA, HW_SKYWAY_BAD_CLASS}, /* an array with a bitmap of fields */
        {references, 0, 2, 0, HW_KLASS_FLAG_METADATA, HW_STATUS_OK},
        {references, 0, 2, 1u << 2, HW_KLASS_FLAG_METADATA, HW_SKYWAY_BAD_CLASS},
        {references, 0, 3, 0, HW_KLASS_FLAG_METADATA, HW_SKYWAY_BAD_CLASS},
        {references, 16, 2, 0, HW_KLASS_FLAG_METADATA, HW_SKYWAY_BAD_CLASS},
        {references + 1, 16, 0, 0, HW_KLASS_FLAG_METADATA, HW_STATUS_UNREGISTERED_CLASS},
    };

    begin(false);
    hw_skyway_assist_by(&unit_model_assist);
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct hw_klass klass = {.kind = rows[i].kind,
                                 .object_size = rows[i].size,
                                 .element_shift = rows[i].shift,
                                 .reference_bitmap = rows[i].bitmap,
                                 .flags = rows[i].flags,
                                 .name = hw_reference(name)};

        hw_skyway_drive(20 + i, NULL);
        uint32_t learned = unit_model.learned;

        EXPECT(hw_skyway_load_class(&klass) == rows[i].status);
        EXPECT((klass.type_id != 0) == (rows[i].status == HW_STATUS_OK) &&
               unit_model.learned - learned == (rows[i].status == HW_STATUS_OK));
        EXPECT(skyway_registry.count == (rows[i].status == HW_STATUS_OK));
        /* Forgets the klass before it goes out of scope. */
        hw_skyway_drive(8, NULL);
    }
}

/* The driver starts anew in the middle of a buffer: the type ids in the buffer are old ones, or a mixture. */
CASE(other_registry) {
    static _Alignas(8) uint8_t work[1024];
    hw_handle root, copy;
    uint32_t taken;

    begin(false);
    root = list(3);
    EXPECT(hw_skyway_write(&output, root));
    hw_skyway_drive(8, &hw_skyway_java_loader);
    EXPECT(hw_skyway_load_java_classes() == HW_STATUS_OK && hw_skyway_write(&output, list(2)));
    EXPECT(!hw_skyway_output_end(&output) && output.status == HW_SKYWAY_OTHER_REGISTRY && sink.sink.at == memory);
    hw_skyway_output_clear(&output);
    EXPECT(hw_skyway_write(&output, root) && hw_skyway_output_close(&output));
    uint32_t bytes = (uint32_t)(sink.sink.at - memory);

    begin_input();
    EXPECT(hw_skyway_read(&input, &copy) && length_of(copy) == 3);
    hw_skyway_input_open(&input, &source, work, sizeof work, HW_SKYWAY_LAYOUT_METADATA);
    EXPECT(hw_skyway_take(&input, memory, 64, &taken) && taken == 64);
    hw_skyway_drive(8, &hw_skyway_java_loader); /* the same registry number: the ids may differ all the same */
    EXPECT(hw_skyway_load_java_classes() == HW_STATUS_OK);
    EXPECT(!hw_skyway_take(&input, memory + 64, bytes - 64, &taken) && input.status == HW_SKYWAY_OTHER_REGISTRY);
    walk();
}

static void drive_anew(void) { hw_skyway_drive(30, &hw_skyway_java_loader); }

static void load_all(void) { EXPECT(hw_skyway_load_java_classes() == HW_STATUS_OK); }

static void unassisted(void) { hw_skyway_assist_by(NULL); }

/* Checks that the unit knows exactly the classes that have ids, by these ids. */
static void check_told(void) {
    uint32_t known = 0;

    for (uint32_t id = 1; id <= skyway_registry.count; id++) {
        const struct hw_klass *klass = skyway_registry.classes[id].klass;

        EXPECT(unit_model.classes[id] == klass && (!klass || klass->type_id == id));
        known += klass != NULL;
    }
    for (uint32_t id = 0; id <= SKYWAY_CLASSES; id++) known -= unit_model.classes[id] != NULL;
    EXPECT(known == 0);
}

/* Another thread changes the classes while this one waits for the unit to become idle. */
CASE(classes_meanwhile) {
    struct hw_klass *klass = (struct hw_klass *)(uintptr_t)HW_CLASS_ListNode,
                    *other = (struct hw_klass *)(uintptr_t)HW_CLASS_Object_array;

    begin(false);
    unit_model.meanwhile = load_all;
    hw_skyway_assist_by(&unit_model_assist);
    check_told();
    drive_anew();
    check_told();
    /* The registry that assigned the id no longer exists. */
    unit_model.meanwhile = drive_anew;
    EXPECT(hw_skyway_load_class(klass) == HW_SKYWAY_OTHER_REGISTRY && klass->type_id == 0);
    check_told();
    EXPECT(hw_skyway_load_class(klass) == HW_STATUS_OK && klass->type_id == 1);
    check_told();
    unit_model.meanwhile = load_all;
    drive_anew();
    EXPECT(klass->type_id == 0);
    check_told();
    unit_model.meanwhile = load_all;
    EXPECT(hw_skyway_load_class(other) == HW_STATUS_OK && other->type_id == 1 && klass->type_id != 0);
    check_told();
    drive_anew();
    unit_model.meanwhile = unassisted;
    EXPECT(hw_skyway_load_class(klass) == HW_STATUS_OK && klass->type_id == 1 && unit_model.learned == 0);
    hw_skyway_assist_by(&unit_model_assist);
    check_told();
}
