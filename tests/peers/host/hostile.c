/* hostile FOLDER CASE: streams and graphs that are made to do harm. Exits with 3 when something is not as it should be. */
#include <string.h>

#include "classes.h"
#include "engines.h"

#define JAVA (&engines[0])
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

int main(int count, char **arguments)
{
    static const struct test_case all[] = {
        {"foreign_manual", foreign_manual, 8u << 20},
    };

    return run_case(all, sizeof all / sizeof *all, count, arguments);
}
