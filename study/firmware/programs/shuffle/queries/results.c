/* Results that worker 0 sorts. */
#include "programs/shuffle/list.h"
#include "programs/shuffle/queries/query.h"
#include "runtime/heap/card.h"

static const struct query_results *results_of(const struct shuffle *shuffle) {
    return ((const struct query *)shuffle->program)->results;
}

static uint64_t sum_of(const struct query_results *results, hw_ref result) {
    return *(const uint64_t *)hw_pointer(result + results->sum);
}

static bool put(struct shuffle *shuffle, hw_handle about, uint64_t sum) {
    const struct query_results *results = results_of(shuffle);
    hw_handle result = hw_new(results->klass);

    if (!result) return false;
    *(uint64_t *)((char *)hw_handle_object(result) + results->sum) = sum;
    hw_set(result, results->about, about);
    return query_put(shuffle, 0, 0, result);
}

bool query_put_results(struct shuffle *shuffle) { return query_each_sum(shuffle, put) && query_new_list(shuffle); }

bool query_take_result(struct shuffle *shuffle, hw_handle result) {
    return shuffle->worker == 0 && query_list(shuffle, result);
}

static bool comes_first(const struct query_results *results, hw_ref one, hw_ref other) {
    uint64_t sum = sum_of(results, one), others = sum_of(results, other);

    if (sum != others) return sum > others;
    return results->first(*(const hw_ref *)hw_pointer(one + results->about),
                          *(const hw_ref *)hw_pointer(other + results->about));
}

/* Shell's sort. */
static void sort(const struct query_results *results, hw_handle list) {
    uint32_t size = list_size(list);

    if (size < 2) return;
    hw_ref *each = hw_pointer(FIELD(list, hw_ref, ArrayList_elementData) + HW_OBJECT_METADATA_ARRAY_ELEMENTS);

    for (uint32_t gap = size / 2; gap; gap /= 2)
        for (uint32_t i = gap; i < size; i++)
            for (uint32_t k = i; k >= gap && comes_first(results, each[k], each[k - gap]); k -= gap) {
                hw_ref kept = each[k];

                hw_write(&each[k], each[k - gap]);
                hw_write(&each[k - gap], kept);
            }
}

bool query_emit_results(struct shuffle *shuffle) {
    const struct query_results *results = results_of(shuffle);
    hw_handle list = shuffle_part(shuffle, QUERY_LIST);

    sort(results, list);
    for (uint32_t place = 0; place < list_size(list); place++) {
        hw_scope scope = hw_scope_open();
        hw_handle result = list_get(list, place);

        results->emit(shuffle, place, hw_get(result, results->about), sum_of(results, result->reference));
        hw_scope_close(scope);
    }
    return true;
}
