/* Cases of streams and graphs that are made to do harm. */
#include "../../../../tests/common/cases.h"
#include "classes.h"
#include "engines.h"
#include "runtime/java/map.h"

#define JAVA (&engines[0])
#define KRYO (&engines[1])
#define MANUAL (&engines[2])

#define STREAM_BYTES 65536u
#define COLLIDING 20000u

static uint8_t output[1u << 20];

static enum hw_objects_status written(const struct engine *engine, hw_handle root) {
    return engine->write(root, output, sizeof output).status;
}

/* Returns the graph as it arrives in Java's stream, in which lists and maps may contain any object. */
static hw_handle through_java(hw_handle root) {
    struct hw_objects_result whole = JAVA->write(root, output, sizeof output);

    EXPECT(whole.status == HW_OBJECTS_OK);
    return read_as(JAVA, output, whole.bytes, HW_OBJECTS_OK, whole.bytes);
}

static void set_first(hw_handle list, hw_handle element) {
    hw_set_element(hw_get(list, HW_CLASS_ArrayList_elementData), 0, element);
}

static uint8_t kryo_id(const struct hw_klass *klass) {
    return (uint8_t)(hw_serial_classes[klass->id - HW_FIRST_CLASS_ID].kryo_id + 2);
}

/* The hand-written serializers must check that the elements of a list have its declared class. */
CASE(foreign_manual) {
    hw_handle content = load("media", JAVA), media = hw_get(content, HW_CLASS_MediaContent_media);

    set_first(hw_get(media, HW_CLASS_Media_persons), media);
    EXPECT(written(MANUAL, through_java(content)) == HW_OBJECTS_BAD_TYPE);
    content = load("media", JAVA);
    set_first(hw_get(content, HW_CLASS_MediaContent_images), string("an image"));
    EXPECT(written(MANUAL, through_java(content)) == HW_OBJECTS_BAD_TYPE);
    content = load("media", JAVA);
    hw_set(content, HW_CLASS_MediaContent_images, hw_get(content, HW_CLASS_MediaContent_media));
    EXPECT(written(MANUAL, content) == HW_OBJECTS_UNSUPPORTED);
    EXPECT(written(MANUAL, load("media", JAVA)) == HW_OBJECTS_OK);
}

/* Type arguments determine the classes that Kryo omits from the stream. An object of another class could not be read
 * again. */
CASE(foreign_exact) {
    hw_handle fields = load("fields", JAVA), number = load("box-8", JAVA);

    EXPECT(written(KRYO, fields) == HW_OBJECTS_OK);
    set_first(hw_get(fields, HW_CLASS_Everything_names), number);
    EXPECT(written(KRYO, through_java(fields)) == HW_OBJECTS_BAD_TYPE);
    fields = load("fields", JAVA);
    EXPECT(hw_hash_map_put(hw_get(fields, HW_CLASS_Everything_counts), string("one"), string("x")));
    EXPECT(written(KRYO, through_java(fields)) == HW_OBJECTS_BAD_TYPE);
    fields = load("fields", JAVA);
    EXPECT(hw_hash_map_put(hw_get(fields, HW_CLASS_Everything_counts), number, number));
    EXPECT(written(KRYO, through_java(fields)) == HW_OBJECTS_BAD_TYPE);
    fields = load("fields", JAVA);
    hw_handle sizes = hw_get(fields, HW_CLASS_Everything_sizes), key = string("k"), list = string("in its place");

    list->reference = *(hw_ref *)hw_pointer(hw_hash_map_find(sizes, key) + HW_CLASS_HashMap_Node_value);
    set_first(list, key);
    EXPECT(written(KRYO, through_java(fields)) == HW_OBJECTS_BAD_TYPE);
    set_first(list, hw_get(load("media", JAVA), HW_CLASS_MediaContent_media));
    EXPECT(written(KRYO, through_java(fields)) == HW_OBJECTS_BAD_TYPE);
}

/* Kryo's true is 1 and nothing else. A reference that must not be null is rejected if it is. */
CASE(truth) {
    uint8_t tree[] = {kryo_id(HW_CLASS_TreeNode), 0, 3, 2, 1, 0, 0}, list[] = {kryo_id(HW_CLASS_ListNode), 0, 1, 2, 3},
            graph[] = {kryo_id(HW_CLASS_GraphNode), 0};
    hw_handle root, children;

    root = read_as(MANUAL, tree, sizeof tree, HW_OBJECTS_OK, sizeof tree);
    children = hw_get(root, HW_CLASS_TreeNode_children);
    EXPECT(!hw_get_element(children, 0) && hw_get_element(children, 1));
    root = read_as(MANUAL, list, sizeof list, HW_OBJECTS_OK, sizeof list);
    EXPECT(hw_get(root, HW_CLASS_ListNode_next) &&
           !hw_get(hw_get(root, HW_CLASS_ListNode_next), HW_CLASS_ListNode_next));
    read_as(MANUAL, graph, sizeof graph, HW_OBJECTS_BAD_REFERENCE, 1);
}

/* In a boolean[], bytes other than 0 and 1 are true for Java and false for Kryo. The array holds only 0 and 1
 * afterwards. */
CASE(flags) {
    static const uint8_t given[] = {0, 1, 2, 3, 0x80, 0xff, 0, 1, 0x7f};

    for (uint32_t i = 0; i < 2; i++) {
        uint32_t length;
        uint8_t *bytes = stream("booleans", engines[i].name, &length);

        bytes = realloc(bytes, length + 6);
        bytes[length - 4] = (uint8_t)(sizeof given + i); /* Kryo adds 1 to the length */
        memcpy(bytes + length - 3, given, sizeof given);
        hw_handle root = read_as(&engines[i], bytes, length + 6, HW_OBJECTS_OK, length + 6);
        const uint8_t *read = (const uint8_t *)hw_handle_object(root) + HW_OBJECT_METADATA_ARRAY_ELEMENTS;

        for (uint32_t k = 0; k < sizeof given; k++) EXPECT(read[k] == (i == 0 ? given[k] != 0 : given[k] == 1));
        free(bytes);
    }
}

static uint8_t *put_big(uint8_t *to, uint32_t value) {
    for (uint32_t shift = 32; shift; shift -= 8) *to++ = (uint8_t)(value >> (shift - 8));
    return to;
}

static uint8_t *put_length(uint8_t *to, uint32_t length) {
    for (; length >= 0x80; length >>= 7) *to++ = (uint8_t)(length | 0x80);
    *to++ = (uint8_t)length;
    return to;
}

/* Puts a size in CollectionSerializer's format. */
static uint8_t *put_size(uint8_t *to, uint32_t size) {
    *to++ = (uint8_t)((size & 0x3f) | 0x40);
    return put_length(to, size >> 6);
}

#define ITS_CLASS 0xee /* in a piece: the number of the container's own class, with which its stream begins */

struct piece {
    uint32_t count;
    uint8_t bytes[14];
};

static uint8_t *put_piece(uint8_t *to, const struct piece *piece, uint8_t its_class) {
    for (uint32_t i = 0; i < piece->count; i++) *to++ = piece->bytes[i] == ITS_CLASS ? its_class : piece->bytes[i];
    return to;
}

/* Nested containers, each of which claims all remaining bytes, must not cost more than the input. */
CASE(nested) {
    static uint8_t bytes[STREAM_BYTES];
    static const struct {
        uint32_t engine;
        const char *start; /* the stream of an empty container */
        uint32_t end;      /* the bytes at its end that belong to the contents */
        struct piece before;
        uint8_t *(*put)(uint8_t *to, uint32_t size);
        uint32_t values; /* of an entry */
        struct piece after;
    } all[] = {
        {0, "list-none", 11, {0}, put_big, 1, {12, {0x77, 4, 0, 0, 0, 0, 0x73, 0x71, 0, 0x7e, 0, 0}}},
        {0, "objects-none", 4, {0}, put_big, 1, {6, {0x75, 0x71, 0, 0x7e, 0, 0}}},
        /* buckets and a block; a null as key */
        {0,
         "map-none",
         19,
         {14, {0x3f, 0x40, 0, 0, 0, 0, 0, 0, 0x77, 8, 0, 0, 0, 16}},
         put_big,
         2,
         {7, {0x70, 0x73, 0x71, 0, 0x7e, 0, 0}}},
        {1, "list-none", 1, {0}, put_size, 1, {2, {ITS_CLASS, 1}}},
        {1, "objects-none", 1, {0}, put_length, 1, {2, {ITS_CLASS, 1}}},
        {1, "map-none", 1, {0}, put_length, 2, {3, {0, ITS_CLASS, 1}}},
        {2, "tree-leaf", 0, {1, {2}}, put_length, 1, {1, {1}}},
        {2, "graph-sparse", 0, {2, {1, 2}}, put_length, 1, {0}},
    };

    engines_renew(32u << 20);
    for (uint32_t i = 0; i < sizeof all / sizeof *all; i++) {
        uint32_t length;
        uint8_t *start = stream(all[i].start, engines[all[i].engine].name, &length), *at = bytes,
                *end = bytes + STREAM_BYTES;
        uint32_t head = all[i].engine == 2 ? 1 : length - all[i].end;
        hw_handle root;

        memset(bytes, all[i].engine == 0 ? 0x70 : 0, STREAM_BYTES);
        memcpy(at, start, head);
        at += head;
        while (at + 40 < end) {
            uint32_t claim = (uint32_t)(end - at) - 24;

            at = all[i].put(put_piece(at, &all[i].before, start[0]), claim / all[i].values);
            at = put_piece(at, &all[i].after, start[0]);
        }
        struct hw_objects_result result = read_by(&engines[all[i].engine], bytes, STREAM_BYTES, &root);

        if (result.status != HW_OBJECTS_TRUNCATED || result.bytes > 2 * head + 60) {
            printf("%u: status %d at %u\n", i, result.status, result.bytes);
            exit(3);
        }
        hw_error_clear();
        free(start);
    }
}

/* Keys with the same hash: the map is rejected before the cost becomes quadratic. */
CASE(collisions) {
    static uint8_t bytes[12 * COLLIDING];

    for (uint32_t count = 100; count <= COLLIDING; count *= 200) {
        uint8_t *at = bytes;
        hw_handle root;

        *at++ = kryo_id(HW_CLASS_HashMap);
        *at++ = 1;
        at = put_length(at, count + 1);
        for (uint32_t i = 0; i < count; i++) {
            uint64_t key = ((uint64_t)i << 32 | i) << 1;

            *at++ = kryo_id(HW_CLASS_Long);
            for (uint32_t k = 0; k < 8 && key >= 0x80; k++, key >>= 7) *at++ = (uint8_t)(key | 0x80);
            *at++ = (uint8_t)key;
            *at++ = 0;
        }
        struct hw_objects_result result = read_by(KRYO, bytes, (uint32_t)(at - bytes), &root);

        EXPECT(result.status == (count == 100 ? HW_OBJECTS_OK : HW_OBJECTS_COLLISIONS) &&
               result.bytes <= (uint32_t)(at - bytes));
    }
    /* A map made here may have any number of such keys, but Java's stream of it is rejected as well. */
    hw_handle map = hw_new(HW_CLASS_HashMap), copy;

    hw_hash_map_init(map, 16);
    for (uint32_t i = 0; i < 1000; i++) {
        hw_scope scope = hw_scope_open();
        hw_handle key = hw_new(HW_CLASS_Long);
        uint32_t *words = (uint32_t *)hw_pointer(key->reference + HW_CLASS_Long_value);

        words[0] = words[1] = i;
        EXPECT(hw_hash_map_put(map, key, NULL) && hw_hash_map_find(map, key));
        hw_scope_close(scope);
    }
    struct hw_objects_result whole = JAVA->write(map, output, sizeof output);

    EXPECT(whole.status == HW_OBJECTS_OK);
    EXPECT(read_by(JAVA, output, whole.bytes, &copy).status == HW_OBJECTS_COLLISIONS && !copy && walks());
}

/* A class that serializes more than its entries, by methods that only a JVM can execute. */
CASE(linked) {
    uint32_t length;
    uint8_t *bytes = stream("linked", "other", &length);
    hw_handle root;

    EXPECT(hw_class_find("java.util.LinkedHashMap"));
    EXPECT(read_by(JAVA, bytes, length, &root).status == HW_OBJECTS_UNSUPPORTED && !root);
    EXPECT(written(JAVA, hw_new(hw_class_klass(hw_class_find("java.util.LinkedHashMap")))) == HW_OBJECTS_UNSUPPORTED);
    free(bytes);
}

/* The object slots never overlap the table behind them, whatever the size of the workspace. */
CASE(workspaces) {
    static uint64_t memory[8192];

    for (uint32_t bytes = 40000; bytes < 40400; bytes += 8) {
        EXPECT(hw_java_open(&java_codec, memory, bytes) && hw_kryo_open(&kryo_codec, memory, bytes));
        EXPECT((uint8_t *)(java_codec.objects.base + java_codec.object_limit) <= java_codec.identity.memory);
        EXPECT(kryo_codec.objects.base + kryo_codec.object_limit <= kryo_codec.held.base);
        EXPECT((uint8_t *)(kryo_codec.held.base + kryo_codec.held_limit) <= kryo_codec.identity.memory);
    }
}

/* Objects that no reader makes: their sizes exceed their arrays. */
CASE(damaged) {
    hw_handle list = load("list-strings", JAVA), map = load("map-strings", JAVA), content = load("media", JAVA);

    FIELD(list, uint32_t, ArrayList_size) = 5000;
    FIELD(map, uint32_t, HashMap_size) += 1;
    FIELD(hw_get(content, HW_CLASS_MediaContent_images), uint32_t, ArrayList_size) = 3;
    for (uint32_t i = 0; i < 2; i++) {
        EXPECT(written(&engines[i], list) == HW_OBJECTS_MALFORMED);
        EXPECT(written(&engines[i], map) == HW_OBJECTS_MALFORMED);
    }
    EXPECT(written(MANUAL, content) == HW_OBJECTS_MALFORMED);
    hw_set(list, HW_CLASS_ArrayList_elementData, NULL);
    hw_set(map, HW_CLASS_HashMap_table, NULL);
    for (uint32_t i = 0; i < 2; i++) {
        EXPECT(written(&engines[i], list) == HW_OBJECTS_MALFORMED);
        EXPECT(written(&engines[i], map) == HW_OBJECTS_MALFORMED);
    }
    for (uint32_t buckets = 0; buckets < 4; buckets += 3) {
        hw_set(map, HW_CLASS_HashMap_table, hw_new_array(HW_CLASS_HashMap_Node_array, buckets));
        for (uint32_t i = 0; i < 2; i++) EXPECT(written(&engines[i], map) == HW_OBJECTS_MALFORMED);
        EXPECT(hw_hash_map_find(map, string("key-1")) == 0);
        EXPECT(!hw_hash_map_put(map, string("key-1"), NULL) && hw_error_clear() == HW_STATUS_WRONG_TYPE);
    }
}
