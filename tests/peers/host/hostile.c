/* hostile FOLDER CASE: streams and graphs that are made to do harm. Exits with 3 when something is not as it should be. */
#include <string.h>

#include "classes.h"
#include "engines.h"
#include "runtime/java/map.h"
#include "runtime/java/serial.h"

#define JAVA (&engines[0])
#define KRYO (&engines[1])
#define MANUAL (&engines[2])

static uint8_t output[1u << 20];

static enum hw_objects_status written(const struct engine *engine, hw_handle root)
{
    return engine->write(root, output, sizeof output).status;
}

/* The graph as Java's stream brings it, in which lists and maps take any object. */
static hw_handle through_java(hw_handle root)
{
    hw_handle copy;
    struct hw_objects_result whole = JAVA->write(root, output, sizeof output);

    EXPECT(whole.status == HW_OBJECTS_OK && JAVA->read(output, whole.bytes, &copy).status == HW_OBJECTS_OK);
    return copy;
}

static void set_first(hw_handle list, hw_handle element)
{
    hw_set_element(hw_get(list, HW_CLASS_ArrayList_elementData), 0, element);
}

static uint8_t kryo_id(const struct hw_klass *klass)
{
    return (uint8_t)(hw_serial_classes[klass->id - HW_FIRST_CLASS_ID].kryo_id + 2);
}

/* The hand-written serializers take an element for what the list is declared with: they must look first. */
static void foreign_manual(void)
{
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

/* Type arguments say which class is not in the stream: an object of another one could not be read again. */
static void foreign_exact(void)
{
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

static void reads(const uint8_t *bytes, uint32_t length, enum hw_objects_status status, uint32_t at, hw_handle *root)
{
    uint8_t *exact = malloc(length);

    memcpy(exact, bytes, length);
    struct hw_objects_result result = MANUAL->read(exact, length, root);

    if (result.status != status || result.bytes != at) {
        printf("status %d at %u\n", result.status, result.bytes);
        exit(3);
    }
    free(exact);
}

/* Kryo's true is 1 and nothing else; an object that must be there is not null. */
static void truth(void)
{
    uint8_t tree[] = {kryo_id(HW_CLASS_TreeNode), 0, 3, 2, 1, 0, 0}, list[] = {kryo_id(HW_CLASS_ListNode), 0, 1, 2, 3},
            graph[] = {kryo_id(HW_CLASS_GraphNode), 0};
    hw_handle root, children;

    reads(tree, sizeof tree, HW_OBJECTS_OK, sizeof tree, &root);
    children = hw_get(root, HW_CLASS_TreeNode_children);
    EXPECT(!hw_get_element(children, 0) && hw_get_element(children, 1));
    reads(list, sizeof list, HW_OBJECTS_OK, sizeof list, &root);
    EXPECT(hw_get(root, HW_CLASS_ListNode_next) && !hw_get(hw_get(root, HW_CLASS_ListNode_next), HW_CLASS_ListNode_next));
    reads(graph, sizeof graph, HW_OBJECTS_BAD_REFERENCE, 1, &root);
}

int main(int count, char **arguments)
{
    static const struct test_case all[] = {
        {"foreign_manual", foreign_manual, 8u << 20},
        {"foreign_exact", foreign_exact, 8u << 20},
        {"truth", truth, 8u << 20},
    };

    return run_case(all, sizeof all / sizeof *all, count, arguments);
}
