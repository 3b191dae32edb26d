/* The Java Serializer Benchmark Set (worker.h). */
#include <stdio.h>
#include <string.h>

#include "programs/shuffle/graph.h"
#include "programs/skyway/worker.h"
#include "runtime/crc32.h"
#include "runtime/java/string.h"

#define TEXT_MAX 256u
#define LIST_MAX 16u
#define JSBS_ROUNDS 3u

enum { SMALL, LARGE }; /* Image.Size */
enum { JAVA };         /* Media.Player */

static void set_constant(hw_handle object, uint32_t offset, const struct hw_klass *klass, uint32_t ordinal) {
    uint32_t first = hw_serial_classes[klass->id - HW_FIRST_CLASS_ID].first_constant;

    hw_set(object, offset, hw_handle_new(hw_enum_constant(first + ordinal)));
}

/* Returns the array of the elements of a new list in that field, or NULL. */
static hw_handle set_list(hw_handle object, uint32_t offset, uint32_t count) {
    hw_handle list = hw_new(HW_CLASS_ArrayList), elements = hw_new_array(HW_CLASS_Object_array, count);

    if (!list || !elements) return NULL;
    FIELD(list, uint32_t, ArrayList_size) = count;
    hw_set(list, HW_CLASS_ArrayList_elementData, elements);
    hw_set(object, offset, list);
    return elements;
}

static bool add_image(hw_handle images, uint32_t index, const char *uri, uint32_t width, uint32_t height,
                      uint32_t size) {
    hw_handle image = hw_new(HW_CLASS_Image);

    if (!image || !shuffle_set_text(image, HW_CLASS_Image_uri, uri) ||
        !shuffle_set_text(image, HW_CLASS_Image_title, "Javaone Keynote"))
        return false;
    FIELD(image, uint32_t, Image_width) = width;
    FIELD(image, uint32_t, Image_height) = height;
    set_constant(image, HW_CLASS_Image_size, HW_CLASS_Image_Size, size);
    hw_set_element(images, index, image);
    return true;
}

static bool set_media(hw_handle content, uint32_t number) {
    static const char *const names[] = {"Bill Gates", "Steve Jobs\xec\x8a\xa4"};
    hw_handle media = hw_new(HW_CLASS_Media), persons = media ? set_list(media, HW_CLASS_Media_persons, 2) : NULL;

    if (!persons || !shuffle_set_text(media, HW_CLASS_Media_uri, "http://javaone.com/keynote.mpg") ||
        !shuffle_set_text(media, HW_CLASS_Media_title, "Javaone Keynote") ||
        !shuffle_set_text(media, HW_CLASS_Media_format, "video/mpg4"))
        return false;
    FIELD(media, uint32_t, Media_width) = 640;
    FIELD(media, uint32_t, Media_height) = 480;
    FIELD(media, uint64_t, Media_duration) = 18000000;
    FIELD(media, uint64_t, Media_size) = 58982400;
    FIELD(media, uint32_t, Media_bitrate) = number;
    FIELD(media, uint8_t, Media_hasBitrate) = 1;
    set_constant(media, HW_CLASS_Media_player, HW_CLASS_Media_Player, JAVA);
    for (uint32_t i = 0; i < 2; i++) {
        hw_handle name = hw_string_from_utf8(names[i], (uint32_t)strlen(names[i]));

        if (!name) return false;
        hw_set_element(persons, i, name);
    }
    hw_set(content, HW_CLASS_MediaContent_media, media);
    return true;
}

/* Returns the benchmark's media.1, with this number as its bit rate, so that each object is another one. NULL with an
 * error if there is no room. A safepoint. */
static hw_handle media_new(uint32_t number) {
    hw_handle content = hw_new(HW_CLASS_MediaContent);
    hw_scope scope = hw_scope_open();
    hw_handle images = content ? set_list(content, HW_CLASS_MediaContent_images, 2) : NULL;
    bool good = images && set_media(content, number) &&
                add_image(images, 0, "http://javaone.com/keynote_large.jpg", 1024, 768, LARGE) &&
                add_image(images, 1, "http://javaone.com/keynote_small.jpg", 320, 240, SMALL);

    hw_scope_close(scope);
    return good ? content : NULL;
}

static bool is_a(hw_handle object, const struct hw_klass *klass) {
    return object && hw_klass_of(hw_handle_object(object)) == klass;
}

static void number(uint32_t *crc, uint64_t value) { *crc = shuffle_crc32(*crc, value); }

/* A text counts as its bytes and a zero, null as the byte 255. */
static bool text(uint32_t *crc, hw_handle string) {
    char bytes[TEXT_MAX + 1] = {(char)0xff};
    uint32_t length = 0;

    if (string && !(is_a(string, HW_CLASS_String) && hw_string_is_sound(string->reference))) return false;
    if (string && (length = hw_string_to_utf8(string, bytes, TEXT_MAX)) > TEXT_MAX) return false;
    if (string) bytes[length] = 0;
    *crc = hw_crc32(*crc, bytes, length + 1);
    return true;
}

static bool constant(uint32_t *crc, hw_handle object, const struct hw_klass *klass) {
    if (!is_a(object, klass)) return false;
    number(crc, FIELD(object, uint32_t, Enum_ordinal));
    return true;
}

/* Counts the list's length. Returns its elements, or NULL. */
static hw_handle list(uint32_t *crc, hw_handle object, uint32_t *count) {
    hw_handle elements = is_a(object, HW_CLASS_ArrayList) ? hw_get(object, HW_CLASS_ArrayList_elementData) : NULL;

    if (!is_a(elements, HW_CLASS_Object_array)) return NULL;
    *count = FIELD(object, uint32_t, ArrayList_size);
    if (*count > LIST_MAX || *count > hw_array_length(elements->reference)) return NULL;
    number(crc, *count);
    return elements;
}

static bool image(uint32_t *crc, hw_handle object) {
    if (!is_a(object, HW_CLASS_Image) || !text(crc, hw_get(object, HW_CLASS_Image_uri)) ||
        !text(crc, hw_get(object, HW_CLASS_Image_title)))
        return false;
    number(crc, FIELD(object, uint32_t, Image_width));
    number(crc, FIELD(object, uint32_t, Image_height));
    return constant(crc, hw_get(object, HW_CLASS_Image_size), HW_CLASS_Image_Size);
}

static bool media(uint32_t *crc, hw_handle object) {
    uint32_t count;

    if (!is_a(object, HW_CLASS_Media) || !text(crc, hw_get(object, HW_CLASS_Media_uri)) ||
        !text(crc, hw_get(object, HW_CLASS_Media_title)))
        return false;
    number(crc, FIELD(object, uint32_t, Media_width));
    number(crc, FIELD(object, uint32_t, Media_height));
    if (!text(crc, hw_get(object, HW_CLASS_Media_format))) return false;
    number(crc, FIELD(object, uint64_t, Media_duration));
    number(crc, FIELD(object, uint64_t, Media_size));
    number(crc, FIELD(object, uint32_t, Media_bitrate));
    number(crc, FIELD(object, uint8_t, Media_hasBitrate));
    hw_handle persons = list(crc, hw_get(object, HW_CLASS_Media_persons), &count);

    if (!persons) return false;
    for (uint32_t i = 0; i < count; i++)
        if (!text(crc, hw_get_element(persons, i))) return false;
    return constant(crc, hw_get(object, HW_CLASS_Media_player), HW_CLASS_Media_Player) &&
           text(crc, hw_get(object, HW_CLASS_Media_copyright));
}

/* Computes the CRC-32 of all values of a MediaContent, in the order of their declaration (study.shuffle.jsbs).
 * Returns false if the object is none. */
static bool media_digest(hw_handle content, uint32_t *digest) {
    hw_scope scope = hw_scope_open();
    uint32_t count = 0;

    *digest = 0;
    bool good = is_a(content, HW_CLASS_MediaContent) && media(digest, hw_get(content, HW_CLASS_MediaContent_media));
    hw_handle images = good ? list(digest, hw_get(content, HW_CLASS_MediaContent_images), &count) : NULL;

    good = images != NULL;
    for (uint32_t i = 0; i < count && good; i++) good = image(digest, hw_get_element(images, i));
    hw_scope_close(scope);
    return good;
}

/* Returns the number of an object: no two of a program have the same. */
static uint32_t number_of(const struct shuffle *shuffle, uint32_t worker, uint32_t index) {
    return (shuffle->phase * shuffle->workers + worker) * shuffle->scale + index;
}

static bool begin(struct shuffle *shuffle) {
    hw_handle objects = hw_new_array(HW_CLASS_Object_array, shuffle->scale);

    shuffle->broadcast = true;
    return objects && (shuffle->data = hw_global_new(objects));
}

/* Makes the round's objects, then writes each as a root. */
static bool send(struct shuffle *shuffle, uint32_t peer, struct hw_object_output *stream) {
    hw_scope scope = hw_scope_open();

    (void)peer;
    for (uint32_t i = 0; i < shuffle->scale; i++) {
        hw_handle content = media_new(number_of(shuffle, shuffle->worker, i));

        if (!content) return false;
        hw_set_element(shuffle->data, i, content);
        hw_scope_close(scope);
    }
    for (uint32_t i = 0; i < shuffle->scale; i++) {
        if (!hw_objects_write(stream, hw_get_element(shuffle->data, i))) return false;
        hw_scope_close(scope);
    }
    return true;
}

static bool receive(struct shuffle *shuffle, uint32_t peer, struct hw_object_input *stream) {
    hw_scope scope = hw_scope_open();

    for (uint32_t i = 0; i < shuffle->scale; i++) {
        hw_handle content;
        uint32_t digest;
        char key[24];

        if (!hw_objects_read(stream, &content) || !media_digest(content, &digest)) return false;
        hw_scope_close(scope);
        snprintf(key, sizeof key, "%lu %lu", (unsigned long)shuffle->worker,
                 (unsigned long)number_of(shuffle, peer, i));
        shuffle_emit(shuffle, key, digest);
    }
    return true;
}

static bool compute(struct shuffle *shuffle, bool *more) {
    *more = shuffle->phase + 1 < JSBS_ROUNDS;
    return true;
}

const struct shuffle_program jsbs = {PROGRAM_JSBS, begin, send, receive, compute, NULL};
