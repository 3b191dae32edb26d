#include "compare.h"

#include <string.h>

struct comparison {
    bool bytes;
    char *where;
    size_t room;
};

static void append(struct comparison *c, const char *text) {
    size_t at = strlen(c->where);

    while (*text && at + 1 < c->room) c->where[at++] = *text++;
    c->where[at] = 0;
}

/* Appends to the path, from the innermost field outwards. */
static bool differ(struct comparison *c, const pb_field_iter_t *field, const char *what) {
    char number[12], *digit = &number[sizeof(number) - 1];
    unsigned left = (unsigned)field->tag;

    *digit = 0;
    do *--digit = (char)('0' + left % 10);
    while (left /= 10);
    append(c, c->where[0] ? " in " : "");
    append(c, digit);
    append(c, " ");
    append(c, what);
    return false;
}

static bool same_fields(struct comparison *c, const pb_msgdesc_t *descriptor, void *left, void *right);

/* Compares one value, without following pointers. */
static bool same_value(struct comparison *c, const pb_field_iter_t *field, void *left, void *right) {
    if (!left || !right) return left == right || differ(c, field, "pointer");
    switch (PB_LTYPE(field->type)) {
        case PB_LTYPE_SUBMESSAGE:
        case PB_LTYPE_SUBMSG_W_CB:
            return same_fields(c, field->submsg_desc, left, right) || differ(c, field, "message");
        case PB_LTYPE_STRING:
            return strcmp(left, right) == 0 || differ(c, field, "string");
        case PB_LTYPE_BYTES: {
            pb_bytes_array_t *a = left, *b = right;
            return (a->size == b->size && memcmp(a->bytes, b->bytes, a->size) == 0) || differ(c, field, "bytes");
        }
        default:
            return memcmp(left, right, field->data_size) == 0 || differ(c, field, "value");
    }
}

static bool same_array(struct comparison *c, pb_field_iter_t *left, pb_field_iter_t *right) {
    bool pointer = PB_ATYPE(left->type) == PB_ATYPE_POINTER;
    bool referred = pointer && (PB_LTYPE(left->type) == PB_LTYPE_STRING || PB_LTYPE(left->type) == PB_LTYPE_BYTES);
    bool fixed = left->pSize == &left->array_size;
    size_t count = *(pb_size_t *)left->pSize;
    char *a = left->pData, *b = right->pData;

    if (count != *(pb_size_t *)right->pSize) return differ(c, left, "count");
    if (!a || !b) return a == b || differ(c, left, "pointer");
    if (c->bytes && !pointer && !PB_LTYPE_IS_SUBMSG(left->type))
        return memcmp(a, b, (size_t)left->data_size * left->array_size) == 0 || differ(c, left, "array bytes");
    /* If the field was absent, an array without a count was not written and has its old contents. */
    if (fixed && !pointer && memcmp(a, b, (size_t)left->data_size * count) == 0) return true;
    for (size_t i = 0; i < count; i++, a += left->data_size, b += left->data_size)
        if (!same_value(c, left, referred ? *(void **)a : a, referred ? *(void **)b : b))
            return differ(c, left, "element");
    return true;
}

static bool same_field(struct comparison *c, pb_field_iter_t *left, pb_field_iter_t *right) {
    if (PB_ATYPE(left->type) == PB_ATYPE_CALLBACK) return true;
    switch (PB_HTYPE(left->type)) {
        case PB_HTYPE_REPEATED:
            return same_array(c, left, right);
        case PB_HTYPE_ONEOF:
            if (*(pb_size_t *)left->pSize != *(pb_size_t *)right->pSize) return differ(c, left, "which");
            if (*(pb_size_t *)left->pSize != left->tag) return true;
            break;
        case PB_HTYPE_OPTIONAL:
            if (left->pSize && *(uint8_t *)left->pSize != *(uint8_t *)right->pSize) return differ(c, left, "has");
            break;
        default:
            break;
    }
    return same_value(c, left, left->pData, right->pData);
}

static bool same_fields(struct comparison *c, const pb_msgdesc_t *descriptor, void *left, void *right) {
    pb_field_iter_t a, b;

    if (!pb_field_iter_begin(&a, descriptor, left) || !pb_field_iter_begin(&b, descriptor, right)) return true;
    do
        if (!same_field(c, &a, &b)) return false;
    while (pb_field_iter_next(&a) && pb_field_iter_next(&b));
    return true;
}

bool same_struct(const pb_msgdesc_t *descriptor, void *left, void *right, bool bytes, char *where, size_t room) {
    struct comparison c = {bytes, where, room};

    where[0] = 0;
    return same_fields(&c, descriptor, left, right);
}
