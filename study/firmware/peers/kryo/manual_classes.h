/* The classes of the hand-written serializers: the fields of each, in the order of the stream. No guard: manual_read.c
 * and manual_write.c include this once, and define what it says of a class and of a field:
 *
 * - RECORD(name, class, fields): the function for an object; ARRAY(name, class, each): for an array of such objects;
 * - VARINT, STRING, PRIMITIVE(field, type), ENUM(field, class), LIST(field, class, each): of these types;
 * - FIELD(field, by): by the function of that name; WHOLE: the same for an object that a record always has.
 */
ARRAY(terms, String, string)

RECORD(image, Image,
       STRING(Image_uri) && STRING(Image_title) && VARINT(Image_width) && VARINT(Image_height) &&
           ENUM(Image_size, Image_Size))
RECORD(media, Media,
       STRING(Media_uri) && STRING(Media_title) && VARINT(Media_width) && VARINT(Media_height) &&
           STRING(Media_format) && PRIMITIVE(Media_duration, POSITIVE_LONG) && PRIMITIVE(Media_size, POSITIVE_LONG) &&
           VARINT(Media_bitrate) && PRIMITIVE(Media_hasBitrate, 'Z') && LIST(Media_persons, String, string) &&
           ENUM(Media_player, Media_Player) && STRING(Media_copyright))
RECORD(content, MediaContent, WHOLE(MediaContent_media, media) && LIST(MediaContent_images, Image, image))

/* What Spark's programs shuffle or keep. */
RECORD(edge, WeightedEdge, PRIMITIVE(WeightedEdge_target, 'J') && PRIMITIVE(WeightedEdge_weight, 'D'))
ARRAY(edges, WeightedEdge, edge)
RECORD(vertex, WeightedVertex, PRIMITIVE(WeightedVertex_id, 'J') && FIELD(WeightedVertex_edges, edges))
RECORD(sparse, SparseVector,
       VARINT(Vector_size) && FIELD(SparseVector_indices, indices) && FIELD(SparseVector_values, doubles))
RECORD(dense, DenseVector, VARINT(Vector_size) && FIELD(DenseVector_values, doubles))
RECORD(point, LabeledPoint, PRIMITIVE(LabeledPoint_label, 'D') && FIELD(LabeledPoint_features, vector))
RECORD(document, Document,
       STRING(Document_label) && FIELD(Document_terms, terms) && FIELD(Document_frequencies, frequencies))
RECORD(record, SortRecord, FIELD(SortRecord_key, bytes) && FIELD(SortRecord_value, bytes))
RECORD(rating, Rating, VARINT(Rating_user) && VARINT(Rating_item) && PRIMITIVE(Rating_rating, 'F'))

/* What the machine's programs shuffle. */
RECORD(word, WordCount, STRING(WordCount_word) && PRIMITIVE(WordCount_count, POSITIVE_LONG))
RECORD(update, Update, VARINT(Update_vertex) && PRIMITIVE(Update_value, POSITIVE_LONG))
RECORD(neighbours, Vertex, VARINT(Vertex_id) && FIELD(Vertex_neighbours, indices))
RECORD(progress, Progress, VARINT(Progress_worker) && PRIMITIVE(Progress_amount, POSITIVE_LONG))

/* What queries shuffle. */
RECORD(line_item, LineItemRow,
       VARINT(LineItemRow_order) && VARINT(LineItemRow_quantity) && PRIMITIVE(LineItemRow_price, POSITIVE_LONG) &&
           VARINT(LineItemRow_discount) && VARINT(LineItemRow_tax) && STRING(LineItemRow_returnFlag) &&
           STRING(LineItemRow_lineStatus) && VARINT(LineItemRow_shipped) && VARINT(LineItemRow_committed) &&
           VARINT(LineItemRow_received))
RECORD(order, OrderRow,
       VARINT(OrderRow_order) && VARINT(OrderRow_customer) && VARINT(OrderRow_date) && VARINT(OrderRow_shipPriority))
RECORD(customer, CustomerRow,
       VARINT(CustomerRow_customer) && STRING(CustomerRow_name) && STRING(CustomerRow_address) &&
           VARINT(CustomerRow_nation) && STRING(CustomerRow_phone) && PRIMITIVE(CustomerRow_balance, 'J') &&
           STRING(CustomerRow_segment))
RECORD(part, PartRow, VARINT(PartRow_part) && STRING(PartRow_manufacturer))
RECORD(supplier, SupplierRow,
       VARINT(SupplierRow_supplier) && STRING(SupplierRow_name) && VARINT(SupplierRow_nation) &&
           STRING(SupplierRow_phone) && PRIMITIVE(SupplierRow_balance, 'J'))
RECORD(part_supplier, PartSuppRow,
       VARINT(PartSuppRow_part) && VARINT(PartSuppRow_supplier) && PRIMITIVE(PartSuppRow_cost, POSITIVE_LONG))
RECORD(offer, PartOffer,
       VARINT(PartOffer_part) && PRIMITIVE(PartOffer_cost, POSITIVE_LONG) && WHOLE(PartOffer_supplier, supplier))
RECORD(order_revenue, OrderRevenue, WHOLE(OrderRevenue_order, order) && PRIMITIVE(OrderRevenue_revenue, POSITIVE_LONG))
RECORD(customer_revenue, CustomerRevenue,
       WHOLE(CustomerRevenue_customer, customer) && PRIMITIVE(CustomerRevenue_revenue, POSITIVE_LONG))
RECORD(sum, KeyedSum, VARINT(KeyedSum_key) && PRIMITIVE(KeyedSum_sum, POSITIVE_LONG))

/* The classes of roots, each with its function: ALONE, or also in an array (EITHER). */
#define MANUAL_ROOTS                          \
    ALONE(MediaContent, content)              \
    ALONE(TreeNode, tree)                     \
    ALONE(ListNode, nodes)                    \
    ALONE(GraphNode, graph)                   \
    EITHER(WeightedVertex, vertex)            \
    EITHER(LabeledPoint, point)               \
    EITHER(Document, document)                \
    EITHER(SortRecord, record)                \
    EITHER(Rating, rating)                    \
    EITHER(WordCount, word)                   \
    EITHER(Update, update)                    \
    EITHER(Vertex, neighbours)                \
    ALONE(Progress, progress)                 \
    EITHER(LineItemRow, line_item)            \
    EITHER(OrderRow, order)                   \
    EITHER(CustomerRow, customer)             \
    EITHER(PartRow, part)                     \
    EITHER(SupplierRow, supplier)             \
    EITHER(PartSuppRow, part_supplier)        \
    EITHER(PartOffer, offer)                  \
    EITHER(OrderRevenue, order_revenue)       \
    EITHER(CustomerRevenue, customer_revenue) \
    EITHER(KeyedSum, sum)
