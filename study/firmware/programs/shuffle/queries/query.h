/* Queries: programs that scan tables and bring their rows together by keys. A query has phases; in each of them, one or
 * two kinds of records cross, as arrays, to the workers that own their keys (key % workers), and are taken there. */
#ifndef HW_PROGRAMS_SHUFFLE_QUERIES_QUERY_H
#define HW_PROGRAMS_SHUFFLE_QUERIES_QUERY_H

#include "programs/shuffle/graph.h"
#include "programs/shuffle/queries/tables.h"
#include "programs/shuffle/shape.h"

#define QUERY_INPUTS 2u

struct query_input {
    const struct shape *shape; /* of a record; NULL: there is no such input */
    /* Takes a record of this shape. Returns false if it belongs elsewhere, or with an error. */
    bool (*take)(struct shuffle *shuffle, hw_handle record);
};

struct query_phase {
    /* Makes room for what will be taken, and puts what is to be sent. What the phase before has taken is still there.
     * Returns false with an error. */
    bool (*prepare)(struct shuffle *shuffle);
    struct query_input inputs[QUERY_INPUTS];
};

/* Results that worker 0 sorts: by falling sums, then by what they are about. */
struct query_results {
    const struct hw_klass *klass; /* its objects have a sum and a reference, at these offsets */
    uint32_t sum, about;
    bool (*first)(hw_ref one, hw_ref other); /* whether `one` comes before `other` if the sums are the same */
    /* Emits a result, of which its place in the order is a part. */
    void (*emit)(struct shuffle *shuffle, uint32_t place, hw_handle about, uint64_t sum);
};

struct query {
    struct shuffle_program program;
    const struct query_phase *phases;
    uint32_t phase_count;
    const struct query_results *results; /* NULL: they are not sorted */
};

/* The query of a file's `phases`, whose results `finish` emits. */
#define QUERY(name, finish, results)                                        \
    {{name, query_begin, query_send, query_receive, query_compute, finish}, \
     phases,                                                                \
     sizeof phases / sizeof *phases,                                        \
     results}

extern const struct query query_a, query_b, query_c, query_d, query_e;

/* For the programs of queries alone. */
bool query_begin(struct shuffle *shuffle);
bool query_send(struct shuffle *shuffle, uint32_t peer, struct hw_object_output *stream);
bool query_receive(struct shuffle *shuffle, uint32_t peer, struct hw_object_input *stream);
bool query_compute(struct shuffle *shuffle, bool *more);

/* The last phase of a query with sorted results, and the end of its program. The first puts the sum of each record of
 * QUERY_ROWS, unless it is 0, with that record; the second takes it. */
bool query_put_results(struct shuffle *shuffle);
bool query_take_result(struct shuffle *shuffle, hw_handle result);
bool query_emit_results(struct shuffle *shuffle);

/* Parts of the array shuffle->data. Two hold records and one an array of long, by the place of a key; one is a list.
 * From QUERY_BUCKETS on there is a list of what is to be sent for each input and worker. */
enum query_part { QUERY_ROWS, QUERY_BEST, QUERY_SUMS, QUERY_LIST, QUERY_BUCKETS };

/* Returns how many places there are for `keys` keys of all workers. */
static inline uint32_t query_places(const struct shuffle *shuffle, uint32_t keys) {
    return (keys + shuffle->workers - 1) / shuffle->workers;
}

/* Make a part anew: an array with `count` elements for each place of `keys` keys, or an empty list. Return false with
 * an exception. */
bool query_new_rows(struct shuffle *shuffle, enum query_part part, uint32_t keys, uint32_t count);
bool query_new_sums(struct shuffle *shuffle, uint32_t keys, uint32_t count);
bool query_new_list(struct shuffle *shuffle);

/* Return the sums, and the number of places that QUERY_SUMS or QUERY_ROWS has. The pointer is valid until the next
 * safepoint. */
uint64_t *query_sums(const struct shuffle *shuffle);
uint32_t query_count(const struct shuffle *shuffle, enum query_part part);

/* Puts a record where it will be sent from, as one of `input`, to the owner of the key. The record may be NULL, with an
 * exception. */
bool query_put(struct shuffle *shuffle, uint32_t input, uint32_t key, hw_handle record);

/* Puts a KeyedSum. */
bool query_put_sum(struct shuffle *shuffle, uint32_t input, uint32_t key, uint64_t sum);

/* Puts a record of each wanted row of the worker's part of a table. NULL: all rows are wanted. */
bool query_scan(struct shuffle *shuffle, uint32_t input, const struct table *table,
                bool (*wanted)(uint32_t scale, uint32_t row), table_column *key);

/* Takers: keep a record at the place of its key, below `keys`; add to the sum there; keep a record in the list. */
bool query_keep(struct shuffle *shuffle, uint32_t key, uint32_t keys, hw_handle record);
bool query_add(struct shuffle *shuffle, uint32_t key, uint32_t keys, uint64_t amount);
bool query_list(struct shuffle *shuffle, hw_handle record);

/* Returns whether the key is below `keys` and belongs to this worker. */
bool query_owns(const struct shuffle *shuffle, uint32_t key, uint32_t keys);

/* Returns the record at a place in a new local handle; NULL if there is none. */
hw_handle query_row(const struct shuffle *shuffle, enum query_part part, uint32_t place);

/* Calls `visit` for each record of the list, until it returns false, which is then returned. */
bool query_each_listed(struct shuffle *shuffle, bool (*visit)(struct shuffle *shuffle, hw_handle record));

/* Calls `visit` for each record of QUERY_ROWS whose sum is not 0, until it returns false, which is then returned. */
bool query_each_sum(struct shuffle *shuffle, bool (*visit)(struct shuffle *shuffle, hw_handle record, uint64_t sum));

#define QUERY_TEXT_MAX 40u

/* Writes a string of a record, shortened to QUERY_TEXT_MAX - 1 bytes, with a final zero. Returns `to`. */
const char *query_text(hw_handle record, uint32_t offset, char to[QUERY_TEXT_MAX]);

/* Takers: keep an order and a customer by their numbers; add an item's revenue to the sum of its order. */
bool query_keep_order(struct shuffle *shuffle, hw_handle order);
bool query_keep_customer(struct shuffle *shuffle, hw_handle customer);
bool query_add_revenue(struct shuffle *shuffle, hw_handle item);

/* Returns what is paid for an item after its discount, in hundredths of a cent. */
uint64_t query_revenue(hw_handle item);

#endif
