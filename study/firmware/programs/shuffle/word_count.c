/* Word count: each worker counts the words of its part of a text, sends each count to the worker that the word's hash
 * selects, and adds up what it receives. */
#include "programs/shuffle/list.h"
#include "programs/shuffle/shape.h"
#include "runtime/java/map.h"
#include "runtime/java/string.h"

#define WORD_MAX 8u

/* A dictionary: an array of a HashMap from words to WordCounts, and of a list of the WordCounts in the order in which
 * they were met. */
enum { MAP, LIST, PARTS };

static hw_handle new_dictionary(void) {
    hw_handle dictionary = hw_new_array(HW_CLASS_Object_array, PARTS), map = hw_new(HW_CLASS_HashMap);
    hw_handle list = list_new();

    if (!dictionary || !map || !list) return NULL;
    hw_hash_map_init(map, 16);
    hw_set_element(dictionary, MAP, map);
    hw_set_element(dictionary, LIST, list);
    return hw_global_new(dictionary);
}

/* Returns the WordCount of a word, or 0. Valid until the next safepoint. */
static hw_ref find(hw_handle dictionary, hw_handle word) {
    hw_ref node = hw_hash_map_find(hw_get_element(dictionary, MAP), word);

    return node ? FIELD_AT(node, hw_ref, HashMap_Node_value) : 0;
}

static bool enter(hw_handle dictionary, hw_handle word, hw_handle count) {
    return hw_hash_map_put(hw_get_element(dictionary, MAP), word, count) &&
           list_append(hw_get_element(dictionary, LIST), count);
}

/* Makes the word at a place of the text. Few words are frequent. */
static uint32_t make_word(uint32_t place, uint32_t words, char *text) {
    static const char letters[] = "etaoinshrdlucmfw";
    uint32_t known = words / 4 + 1, one = shuffle_random(place, 7) % known, other = shuffle_random(place, 8) % known;
    uint32_t number = (uint32_t)((uint64_t)one * other / known) + 0x1000, length = 0;

    for (; number; number /= 16) text[length++] = letters[number % 16];
    return length;
}

static bool count_word(struct shuffle *shuffle, uint32_t place) {
    char text[WORD_MAX];
    hw_handle word = hw_string_from_utf8(text, make_word(place, shuffle->scale, text)), count;
    hw_ref known = word ? find(shuffle->data, word) : 0;

    if (known) {
        FIELD_AT(known, uint64_t, WordCount_count)++;
        return true;
    }
    if (!word || !(count = hw_new(HW_CLASS_WordCount))) return false;
    FIELD(count, uint64_t, WordCount_count) = 1;
    hw_set(count, HW_CLASS_WordCount_word, word);
    return enter(shuffle->data, word, count);
}

static bool begin(struct shuffle *shuffle) {
    uint32_t from = (uint32_t)((uint64_t)shuffle->scale * shuffle->worker / shuffle->workers);
    uint32_t limit = (uint32_t)((uint64_t)shuffle->scale * (shuffle->worker + 1) / shuffle->workers);

    if (!(shuffle->data = new_dictionary()) || !(shuffle->more = new_dictionary())) return false;
    for (uint32_t place = from; place < limit; place++) {
        hw_scope scope = hw_scope_open();

        if (!count_word(shuffle, place)) return false;
        hw_scope_close(scope);
    }
    return true;
}

/* Counts the elements of the list that belong to the peer. Stores them in `chosen`, if that is not NULL. */
static uint32_t choose(struct shuffle *shuffle, uint32_t peer, hw_handle list, hw_handle chosen) {
    uint32_t count = 0;

    for (uint32_t i = 0; i < list_size(list); i++) {
        hw_scope scope = hw_scope_open();
        hw_handle each = list_get(list, i), word = hw_get(each, HW_CLASS_WordCount_word);

        if ((uint32_t)hw_string_hash(word) % shuffle->workers == peer) {
            if (chosen) hw_set_element(chosen, count, each);
            count++;
        }
        hw_scope_close(scope);
    }
    return count;
}

static bool send(struct shuffle *shuffle, uint32_t peer, struct hw_object_output *stream) {
    hw_handle list = hw_get_element(shuffle->data, LIST),
              chosen = hw_new_array(HW_CLASS_WordCount_array, choose(shuffle, peer, list, NULL));

    if (!chosen) return false;
    choose(shuffle, peer, list, chosen);
    return hw_objects_write(stream, chosen);
}

/* Adds a received count. The first one of a word is itself kept. */
static bool add(struct shuffle *shuffle, hw_handle count) {
    hw_handle word = hw_get(count, HW_CLASS_WordCount_word);
    hw_ref known = find(shuffle->more, word);

    if (known) {
        FIELD_AT(known, uint64_t, WordCount_count) += FIELD(count, uint64_t, WordCount_count);
        return true;
    }
    return enter(shuffle->more, word, count);
}

static bool receive(struct shuffle *shuffle, uint32_t peer, struct hw_object_input *stream) {
    hw_handle counts = shape_read_array(stream, &shape_word_count);

    (void)peer;
    if (!counts) return false;
    for (uint32_t i = 0; i < hw_array_length(counts->reference); i++) {
        hw_scope scope = hw_scope_open();

        if (!add(shuffle, hw_get_element(counts, i))) return false;
        hw_scope_close(scope);
    }
    return true;
}

static bool finish(struct shuffle *shuffle) {
    hw_handle list = hw_get_element(shuffle->more, LIST);

    for (uint32_t i = 0; i < list_size(list); i++) {
        hw_scope scope = hw_scope_open();
        hw_handle each = list_get(list, i);
        char text[WORD_MAX + 1];
        uint32_t length = hw_string_to_utf8(hw_get(each, HW_CLASS_WordCount_word), text, WORD_MAX);

        text[length < WORD_MAX ? length : WORD_MAX] = 0;
        shuffle_emit(shuffle, text, FIELD(each, uint64_t, WordCount_count));
        hw_scope_close(scope);
    }
    return true;
}

const struct shuffle_program shuffle_word_count = {PROGRAM_WORD_COUNT, begin, send, receive, NULL, finish};
