/* Hand-written writing of media and records. */
#include "peers/kryo/manual.h"
#include "peers/kryo/manual_write.h"
#include "peers/objects/sizes.h"

/* Writes the ordinal plus 1; 0 for null. */
static bool write_enum(struct writer *writer, hw_ref constant) {
    return write_varint(writer, constant ? AT(constant, uint32_t, Enum_ordinal) + 1 : 0);
}

static const void *elements(hw_ref array) { return hw_pointer(array + MANUAL_ELEMENTS); }

/* Writes the length of an array plus 1; 0 for null. */
static bool write_length(struct writer *writer, hw_ref array) {
    return write_varint(writer, array ? hw_array_length(array) + 1 : 0);
}

static bool write_array(struct writer *writer, hw_ref array, uint8_t type) {
    return write_length(writer, array) &&
           (!array || kryo_write_primitives(writer, type, elements(array), hw_array_length(array)));
}

/* Writes the size of an ArrayList and its elements, each by `write`. No element may be null. The classes of the
 * elements are checked here, because a list accepts any object whatever its declaration says. */
static bool write_list(struct writer *writer, hw_ref list, const struct hw_klass *klass, manual_write *write) {
    if (list == 0) return write_byte(writer, KRYO_NULL);
    if (UNLIKELY(hw_klass_of(hw_pointer(list)) != HW_CLASS_ArrayList)) return refuse(writer, HW_OBJECTS_UNSUPPORTED);
    if (UNLIKELY(!list_fits(list))) return refuse(writer, HW_OBJECTS_MALFORMED);
    uint32_t size = AT(list, uint32_t, ArrayList_size);

    if (!write_varint(writer, size + 1)) return false;
    for (const hw_ref *each = size ? elements(AT(list, hw_ref, ArrayList_elementData)) : NULL; size; size--, each++) {
        if (UNLIKELY(*each == 0)) return refuse(writer, HW_OBJECTS_UNSUPPORTED);
        if (UNLIKELY(hw_klass_of(hw_pointer(*each)) != klass)) return refuse(writer, HW_OBJECTS_BAD_TYPE);
        if (!write(writer, *each)) return false;
    }
    return true;
}

static bool write_image(struct writer *writer, hw_ref image) {
    return STRING(image, Image_uri) && STRING(image, Image_title) && VARINT(image, Image_width) &&
           VARINT(image, Image_height) && write_enum(writer, AT(image, hw_ref, Image_size));
}

static bool write_media(struct writer *writer, hw_ref media) {
    return STRING(media, Media_uri) && STRING(media, Media_title) && VARINT(media, Media_width) &&
           VARINT(media, Media_height) && STRING(media, Media_format) &&
           PRIMITIVE(media, Media_duration, POSITIVE_LONG) && PRIMITIVE(media, Media_size, POSITIVE_LONG) &&
           VARINT(media, Media_bitrate) && PRIMITIVE(media, Media_hasBitrate, 'Z') &&
           write_list(writer, AT(media, hw_ref, Media_persons), HW_CLASS_String, kryo_write_string) &&
           write_enum(writer, AT(media, hw_ref, Media_player)) && STRING(media, Media_copyright);
}

static bool write_content(struct writer *writer, hw_ref content) {
    hw_ref media = AT(content, hw_ref, MediaContent_media);

    if (!media) return refuse(writer, HW_OBJECTS_UNSUPPORTED);
    return write_media(writer, media) &&
           write_list(writer, AT(content, hw_ref, MediaContent_images), HW_CLASS_Image, write_image);
}

static bool write_edge(struct writer *writer, hw_ref edge) {
    return PRIMITIVE(edge, WeightedEdge_target, 'J') && PRIMITIVE(edge, WeightedEdge_weight, 'D');
}

/* Writes the elements of an array of references. None may be null. */
static bool write_each(struct writer *writer, hw_ref array, manual_write *write) {
    uint32_t length = array ? hw_array_length(array) : 0;

    if (!write_length(writer, array)) return false;
    for (const hw_ref *each = length ? elements(array) : NULL; length; length--, each++)
        if (*each == 0 ? !refuse(writer, HW_OBJECTS_UNSUPPORTED) : !write(writer, *each)) return false;
    return true;
}

static bool write_vertex(struct writer *writer, hw_ref vertex) {
    return PRIMITIVE(vertex, WeightedVertex_id, 'J') &&
           write_each(writer, AT(vertex, hw_ref, WeightedVertex_edges), write_edge);
}

/* Writes numbers that are not negative as short varints. */
static bool write_indices(struct writer *writer, hw_ref indices) {
    const uint32_t *each = indices ? elements(indices) : NULL;

    if (!write_length(writer, indices)) return false;
    for (uint32_t left = indices ? hw_array_length(indices) : 0; left; left--)
        if (!write_varint(writer, *each++)) return false;
    return true;
}

static bool write_sparse(struct writer *writer, hw_ref vector) {
    return VARINT(vector, Vector_size) && write_indices(writer, AT(vector, hw_ref, SparseVector_indices)) &&
           write_array(writer, AT(vector, hw_ref, SparseVector_values), 'D');
}

/* Writes 0 for null, 1 for a dense and 2 for a sparse vector. */
static bool write_vector(struct writer *writer, hw_ref vector) {
    if (!vector) return write_byte(writer, 0);
    const struct hw_klass *klass = hw_klass_of(hw_pointer(vector));

    if (klass == HW_CLASS_SparseVector) return write_byte(writer, 2) && write_sparse(writer, vector);
    if (klass != HW_CLASS_DenseVector) return refuse(writer, HW_OBJECTS_UNSUPPORTED);
    return write_byte(writer, 1) && VARINT(vector, Vector_size) &&
           write_array(writer, AT(vector, hw_ref, DenseVector_values), 'D');
}

static bool write_point(struct writer *writer, hw_ref point) {
    return PRIMITIVE(point, LabeledPoint_label, 'D') && write_vector(writer, AT(point, hw_ref, LabeledPoint_features));
}

static bool write_document(struct writer *writer, hw_ref document) {
    return STRING(document, Document_label) &&
           write_each(writer, AT(document, hw_ref, Document_terms), kryo_write_string) &&
           write_vector(writer, AT(document, hw_ref, Document_frequencies));
}

static bool write_record(struct writer *writer, hw_ref record) {
    return write_array(writer, AT(record, hw_ref, SortRecord_key), 'B') &&
           write_array(writer, AT(record, hw_ref, SortRecord_value), 'B');
}

static bool write_rating(struct writer *writer, hw_ref rating) {
    return VARINT(rating, Rating_user) && VARINT(rating, Rating_item) && PRIMITIVE(rating, Rating_rating, 'F');
}

static bool write_word(struct writer *writer, hw_ref word) {
    return STRING(word, WordCount_word) && PRIMITIVE(word, WordCount_count, POSITIVE_LONG);
}

static bool write_update(struct writer *writer, hw_ref update) {
    return VARINT(update, Update_vertex) && PRIMITIVE(update, Update_value, POSITIVE_LONG);
}

static bool write_neighbours(struct writer *writer, hw_ref vertex) {
    return VARINT(vertex, Vertex_id) && write_indices(writer, AT(vertex, hw_ref, Vertex_neighbours));
}

static bool write_progress(struct writer *writer, hw_ref progress) {
    return VARINT(progress, Progress_worker) && PRIMITIVE(progress, Progress_amount, POSITIVE_LONG);
}

static bool write_root(struct writer *writer, hw_ref root) {
    static const struct {
        const struct hw_klass *klass, *array;
        manual_write *write;
    } roots[] = {
        {HW_CLASS_MediaContent, NULL, write_content},
        {HW_CLASS_TreeNode, NULL, kryo_write_tree},
        {HW_CLASS_ListNode, NULL, kryo_write_nodes},
        {HW_CLASS_GraphNode, NULL, kryo_write_graph},
        {HW_CLASS_WeightedVertex, HW_CLASS_WeightedVertex_array, write_vertex},
        {HW_CLASS_LabeledPoint, HW_CLASS_LabeledPoint_array, write_point},
        {HW_CLASS_Document, HW_CLASS_Document_array, write_document},
        {HW_CLASS_SortRecord, HW_CLASS_SortRecord_array, write_record},
        {HW_CLASS_Rating, HW_CLASS_Rating_array, write_rating},
        {HW_CLASS_WordCount, HW_CLASS_WordCount_array, write_word},
        {HW_CLASS_Update, HW_CLASS_Update_array, write_update},
        {HW_CLASS_Vertex, HW_CLASS_Vertex_array, write_neighbours},
        {HW_CLASS_Progress, NULL, write_progress},
        {HW_CLASS_LineItemRow, HW_CLASS_LineItemRow_array, kryo_write_line_item},
        {HW_CLASS_OrderRow, HW_CLASS_OrderRow_array, kryo_write_order},
        {HW_CLASS_CustomerRow, HW_CLASS_CustomerRow_array, kryo_write_customer},
        {HW_CLASS_PartRow, HW_CLASS_PartRow_array, kryo_write_part},
        {HW_CLASS_SupplierRow, HW_CLASS_SupplierRow_array, kryo_write_supplier},
        {HW_CLASS_PartSuppRow, HW_CLASS_PartSuppRow_array, kryo_write_part_supplier},
        {HW_CLASS_PartOffer, HW_CLASS_PartOffer_array, kryo_write_offer},
        {HW_CLASS_OrderRevenue, HW_CLASS_OrderRevenue_array, kryo_write_order_revenue},
        {HW_CLASS_CustomerRevenue, HW_CLASS_CustomerRevenue_array, kryo_write_customer_revenue},
        {HW_CLASS_KeyedSum, HW_CLASS_KeyedSum_array, kryo_write_sum},
    };

    if (!root) return write_byte(writer, KRYO_NULL);
    const struct hw_klass *klass = hw_klass_of(hw_pointer(root));

    for (uint32_t i = 0; i < sizeof roots / sizeof *roots; i++) {
        if (klass != roots[i].klass && klass != roots[i].array) continue;
        if (!write_varint(writer, hw_serial_classes[hw_serial_index(root)].kryo_id + 2u)) return false;
        return klass == roots[i].array ? write_each(writer, root, roots[i].write) : roots[i].write(writer, root);
    }
    return refuse(writer, HW_OBJECTS_UNSUPPORTED);
}

struct hw_objects_result hw_kryo_manual_write(struct hw_kryo *codec, hw_handle root, void *output, uint32_t capacity) {
    struct writer writer = {
        .at = output,
        .end = (uint8_t *)output + capacity,
        .codec = codec,
        .frames = frames_in(codec->frames, codec->frame_bytes, sizeof(struct kryo_write_frame)),
    };

    identity_begin(&codec->identity);
    write_root(&writer, root ? root->reference : 0);
    uint32_t bytes = writer.status == HW_OBJECTS_OK ? (uint32_t)(writer.at - (uint8_t *)output) : 0;

    return (struct hw_objects_result){writer.status, bytes};
}
