/* Hand-written reading of media and records. */
#include "peers/kryo/manual.h"
#include "peers/kryo/manual_read.h"
#include "runtime/java/class.h"

static bool read_enum_field(struct reader *reader, uint32_t held, uint32_t offset, const struct hw_klass *klass) {
    uint32_t class = klass->id - HW_FIRST_CLASS_ID, ordinal;
    const uint8_t *start = reader->at;

    if (!read_varint(reader, &ordinal)) return false;
    if (ordinal > hw_classes[class].constant_count) {
        reader->at = start;
        return fail(reader, HW_OBJECTS_MALFORMED);
    }
    hw_write(hw_pointer(held_at(reader, held) + offset),
             ordinal ? hw_enum_constant(hw_serial_classes[class].first_constant + ordinal - 1) : 0);
    return true;
}

static bool read_array_field(struct reader *reader, uint32_t held, uint32_t offset, const struct hw_klass *klass) {
    uint32_t value;

    if (!hold(reader, 1, &value) ||
        !kryo_read_primitives(reader, klass->id - HW_FIRST_CLASS_ID, &reader->codec->held.base[value]))
        return false;
    store(reader, held, offset, value);
    release(reader, value);
    return true;
}

/* Reads an array of references into a held root, each element by `read`. The root stays null if the stream has a
 * null. */
static bool read_each(struct reader *reader, uint32_t held, const struct hw_klass *klass, manual_read *read) {
    uint32_t length;
    bool null;

    if (!kryo_read_length(reader, 0, &length, &null) || null) return reader->status == HW_OBJECTS_OK;
    if (!new_array(reader, klass, length, held)) return false;
    reader->owed += length;
    for (uint32_t i = 0; i < length; i++) {
        reader->owed--;
        if (!read_field(reader, held, MANUAL_ELEMENTS + 4 * i, read)) return false;
    }
    return true;
}

static bool read_list_field(struct reader *reader, uint32_t held, uint32_t offset, manual_read *read) {
    uint32_t list, array;

    if (!hold(reader, 1, &list) || !hold(reader, 1, &array) || !read_each(reader, array, HW_CLASS_Object_array, read))
        return false;
    if (held_at(reader, array)) {
        if (!new_object(reader, HW_CLASS_ArrayList, list)) return false;
        AT(held_at(reader, list), uint32_t, ArrayList_size) = hw_array_length(held_at(reader, array));
        store(reader, list, HW_CLASS_ArrayList_elementData, array);
    }
    store(reader, held, offset, list);
    release(reader, list);
    return true;
}

static bool read_image(struct reader *reader, uint32_t held) {
    return new_object(reader, HW_CLASS_Image, held) && STRING(Image_uri) && STRING(Image_title) &&
           VARINT(Image_width) && VARINT(Image_height) &&
           read_enum_field(reader, held, HW_CLASS_Image_size, HW_CLASS_Image_Size);
}

static bool read_media(struct reader *reader, uint32_t held) {
    return new_object(reader, HW_CLASS_Media, held) && STRING(Media_uri) && STRING(Media_title) &&
           VARINT(Media_width) && VARINT(Media_height) && STRING(Media_format) &&
           PRIMITIVE(Media_duration, POSITIVE_LONG) && PRIMITIVE(Media_size, POSITIVE_LONG) && VARINT(Media_bitrate) &&
           PRIMITIVE(Media_hasBitrate, 'Z') && read_list_field(reader, held, HW_CLASS_Media_persons, read_text) &&
           read_enum_field(reader, held, HW_CLASS_Media_player, HW_CLASS_Media_Player) && STRING(Media_copyright);
}

static bool read_content(struct reader *reader, uint32_t held) {
    return new_object(reader, HW_CLASS_MediaContent, held) &&
           read_field(reader, held, HW_CLASS_MediaContent_media, read_media) &&
           read_list_field(reader, held, HW_CLASS_MediaContent_images, read_image);
}

static bool read_edge(struct reader *reader, uint32_t held) {
    return new_object(reader, HW_CLASS_WeightedEdge, held) && PRIMITIVE(WeightedEdge_target, 'J') &&
           PRIMITIVE(WeightedEdge_weight, 'D');
}

static bool read_edges(struct reader *reader, uint32_t held) {
    return read_each(reader, held, HW_CLASS_WeightedEdge_array, read_edge);
}

static bool read_vertex(struct reader *reader, uint32_t held) {
    return new_object(reader, HW_CLASS_WeightedVertex, held) && PRIMITIVE(WeightedVertex_id, 'J') &&
           read_field(reader, held, HW_CLASS_WeightedVertex_edges, read_edges);
}

static bool read_indices(struct reader *reader, uint32_t held) {
    uint32_t length;
    bool null;

    if (!kryo_read_length(reader, 0, &length, &null) || null) return reader->status == HW_OBJECTS_OK;
    if (!new_array(reader, HW_CLASS_int_array, length, held)) return false;
    uint32_t *each = hw_pointer(held_at(reader, held) + MANUAL_ELEMENTS);

    for (; length; length--)
        if (!read_varint(reader, each++)) return false;
    return true;
}

static bool read_sparse(struct reader *reader, uint32_t held) {
    return new_object(reader, HW_CLASS_SparseVector, held) && VARINT(Vector_size) &&
           read_field(reader, held, HW_CLASS_SparseVector_indices, read_indices) &&
           read_array_field(reader, held, HW_CLASS_SparseVector_values, HW_CLASS_double_array);
}

static bool read_vector(struct reader *reader, uint32_t held) {
    const uint8_t *start = reader->at;
    uint8_t kind;

    if (!read_byte(reader, &kind) || kind == 0) return reader->status == HW_OBJECTS_OK;
    if (kind == 2) return read_sparse(reader, held);
    if (kind == 1)
        return new_object(reader, HW_CLASS_DenseVector, held) && VARINT(Vector_size) &&
               read_array_field(reader, held, HW_CLASS_DenseVector_values, HW_CLASS_double_array);
    reader->at = start;
    return fail(reader, HW_OBJECTS_MALFORMED);
}

/* Reads a vector where a document may only have a sparse one. */
static bool read_frequencies(struct reader *reader, uint32_t held) {
    const uint8_t *start = reader->at;

    if (start < reader->end && *start == 1) return fail(reader, HW_OBJECTS_BAD_TYPE);
    return read_vector(reader, held);
}

static bool read_point(struct reader *reader, uint32_t held) {
    return new_object(reader, HW_CLASS_LabeledPoint, held) && PRIMITIVE(LabeledPoint_label, 'D') &&
           read_field(reader, held, HW_CLASS_LabeledPoint_features, read_vector);
}

static bool read_terms(struct reader *reader, uint32_t held) {
    return read_each(reader, held, HW_CLASS_String_array, read_text);
}

static bool read_document(struct reader *reader, uint32_t held) {
    return new_object(reader, HW_CLASS_Document, held) && STRING(Document_label) &&
           read_field(reader, held, HW_CLASS_Document_terms, read_terms) &&
           read_field(reader, held, HW_CLASS_Document_frequencies, read_frequencies);
}

static bool read_record(struct reader *reader, uint32_t held) {
    return new_object(reader, HW_CLASS_SortRecord, held) &&
           read_array_field(reader, held, HW_CLASS_SortRecord_key, HW_CLASS_byte_array) &&
           read_array_field(reader, held, HW_CLASS_SortRecord_value, HW_CLASS_byte_array);
}

static bool read_rating(struct reader *reader, uint32_t held) {
    return new_object(reader, HW_CLASS_Rating, held) && VARINT(Rating_user) && VARINT(Rating_item) &&
           PRIMITIVE(Rating_rating, 'F');
}

static bool read_word(struct reader *reader, uint32_t held) {
    return new_object(reader, HW_CLASS_WordCount, held) && STRING(WordCount_word) &&
           PRIMITIVE(WordCount_count, POSITIVE_LONG);
}

static bool read_update(struct reader *reader, uint32_t held) {
    return new_object(reader, HW_CLASS_Update, held) && VARINT(Update_vertex) && PRIMITIVE(Update_value, POSITIVE_LONG);
}

static bool read_neighbours(struct reader *reader, uint32_t held) {
    return new_object(reader, HW_CLASS_Vertex, held) && VARINT(Vertex_id) &&
           read_field(reader, held, HW_CLASS_Vertex_neighbours, read_indices);
}

static bool read_progress(struct reader *reader, uint32_t held) {
    return new_object(reader, HW_CLASS_Progress, held) && VARINT(Progress_worker) &&
           PRIMITIVE(Progress_amount, POSITIVE_LONG);
}

static bool read_root(struct reader *reader, uint32_t held) {
    static const struct {
        const struct hw_klass *klass, *array;
        manual_read *read;
    } roots[] = {
        {HW_CLASS_MediaContent, NULL, read_content},
        {HW_CLASS_TreeNode, NULL, kryo_read_tree},
        {HW_CLASS_ListNode, NULL, kryo_read_nodes},
        {HW_CLASS_GraphNode, NULL, kryo_read_graph},
        {HW_CLASS_WeightedVertex, HW_CLASS_WeightedVertex_array, read_vertex},
        {HW_CLASS_LabeledPoint, HW_CLASS_LabeledPoint_array, read_point},
        {HW_CLASS_Document, HW_CLASS_Document_array, read_document},
        {HW_CLASS_SortRecord, HW_CLASS_SortRecord_array, read_record},
        {HW_CLASS_Rating, HW_CLASS_Rating_array, read_rating},
        {HW_CLASS_WordCount, HW_CLASS_WordCount_array, read_word},
        {HW_CLASS_Update, HW_CLASS_Update_array, read_update},
        {HW_CLASS_Vertex, HW_CLASS_Vertex_array, read_neighbours},
        {HW_CLASS_Progress, NULL, read_progress},
        {HW_CLASS_LineItemRow, HW_CLASS_LineItemRow_array, kryo_read_line_item},
        {HW_CLASS_OrderRow, HW_CLASS_OrderRow_array, kryo_read_order},
        {HW_CLASS_CustomerRow, HW_CLASS_CustomerRow_array, kryo_read_customer},
        {HW_CLASS_PartRow, HW_CLASS_PartRow_array, kryo_read_part},
        {HW_CLASS_SupplierRow, HW_CLASS_SupplierRow_array, kryo_read_supplier},
        {HW_CLASS_PartSuppRow, HW_CLASS_PartSuppRow_array, kryo_read_part_supplier},
        {HW_CLASS_PartOffer, HW_CLASS_PartOffer_array, kryo_read_offer},
        {HW_CLASS_OrderRevenue, HW_CLASS_OrderRevenue_array, kryo_read_order_revenue},
        {HW_CLASS_CustomerRevenue, HW_CLASS_CustomerRevenue_array, kryo_read_customer_revenue},
        {HW_CLASS_KeyedSum, HW_CLASS_KeyedSum_array, kryo_read_sum},
    };
    const uint8_t *start = reader->at;
    uint32_t id;

    if (!read_varint(reader, &id) || id == KRYO_NULL) return reader->status == HW_OBJECTS_OK;
    for (uint32_t i = 0; i < sizeof roots / sizeof *roots; i++)
        for (uint32_t array = 0; array < 2; array++) {
            const struct hw_klass *klass = array ? roots[i].array : roots[i].klass;

            if (klass && id == hw_serial_classes[klass->id - HW_FIRST_CLASS_ID].kryo_id + 2u)
                return array ? read_each(reader, held, klass, roots[i].read) : roots[i].read(reader, held);
        }
    reader->at = start;
    return fail(reader, HW_OBJECTS_BAD_CLASS);
}

struct hw_objects_result hw_kryo_manual_read(struct hw_kryo *codec, const void *input, uint32_t length,
                                             hw_handle *root) {
    struct reader reader;
    uint32_t held = 0;

    kryo_reader_open(&reader, codec, input, length);
    bool good = hold(&reader, 1, &held) && read_root(&reader, held);

    return kryo_reader_close(&reader, good, input, &codec->held.base[held], root);
}
