/* A second heap, in malloc's memory, that mirrors the managed one object by object, so that every field, reference and
 * identity can be compared after collections. */
#ifndef TEST_HEAP_MIRROR_H
#define TEST_HEAP_MIRROR_H

#include "runtime/thread.h"
#include "runtime/klass.h"

/* The kinds of objects, one klass each. */
enum kind { NODE, TAGGED, WIDE, LEAF, OBJECTS, TAGGED_OBJECTS, BYTES, LONGS, KINDS };

struct mirror {
    struct mirror *next; /* the list of all mirrors */
    enum kind kind;
    uint32_t length; /* elements of an array, or references of an instance */
    uint32_t value;  /* the primitive slots and elements are derived from it */
    uint32_t hash;   /* identity hash; 0: never requested */
    uint32_t owner;  /* first word of the metadata */
    hw_ref seen;     /* where the current comparison found it */
    uint32_t pass;
    struct mirror *references[];
};

extern struct hw_klass kinds[KINDS];

void kinds_init(void);
bool kind_is_array(enum kind kind);
bool kind_has_references(enum kind kind);
bool kind_has_metadata(enum kind kind);

/* Returns the byte offset of reference `index`. */
uint32_t kind_reference_offset(enum kind kind, uint32_t index);

struct mirror *mirror_new(enum kind kind, uint32_t length, uint32_t value);

/* Writes the primitive parts of a new object. */
void mirror_fill(const struct mirror *mirror, void *object);

/* Sets the expected metadata of every object to zero. */
void mirror_forget_owners(void);

/* Compares what `count` pairs of references and mirrors lead to, and ends the program at a difference. Frees mirrors
 * that nothing leads to. Returns the number of objects. */
struct pair {
    hw_ref reference;
    struct mirror *mirror;
};
uint32_t mirror_compare(const struct pair *pairs, uint32_t count);

#endif
