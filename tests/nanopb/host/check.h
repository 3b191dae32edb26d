/* CHECK_TABLE(Message) defines a function that compares a descriptor table with offsetof and sizeof. It uses the list
 * of fields that nanopb's generator writes, not nanopb's descriptors. */
#ifndef CHECK_H
#define CHECK_H

#ifdef UNCHECKED
#include "types.h"
#define CHECK_TABLE(type) enum { check_##type = 0 };
#else

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "types.h"

#define MEMBER(type, member) (((type *)0)->member)

/* The offsets of the parts of a field. A oneof's name is (union, member, union.member). */
#define NAME_SINGULAR(name) name
#define NAME_OPTIONAL(name) name
#define NAME_REQUIRED(name) name
#define NAME_REPEATED(name) name
#define NAME_FIXARRAY(name) name
#define NAME_ONEOF(name) PB_ONEOF_NAME(FULL, name)

#define PRESENCE_STATIC_SINGULAR(type, name) (-1)
#define PRESENCE_STATIC_REQUIRED(type, name) (-1)
#define PRESENCE_STATIC_FIXARRAY(type, name) (-1)
#define PRESENCE_STATIC_OPTIONAL(type, name) (int)offsetof(type, has_##name)
#define PRESENCE_STATIC_REPEATED(type, name) (int)offsetof(type, name##_count)
#define PRESENCE_STATIC_ONEOF(type, name) WHICH(type, PB_ONEOF_NAME(UNION, name))
#define PRESENCE_POINTER_SINGULAR(type, name) (-1)
#define PRESENCE_POINTER_REQUIRED(type, name) (-1)
#define PRESENCE_POINTER_FIXARRAY(type, name) (-1)
#define PRESENCE_POINTER_OPTIONAL(type, name) (-1)
#define PRESENCE_POINTER_REPEATED(type, name) (int)offsetof(type, name##_count)
#define PRESENCE_POINTER_ONEOF(type, name) WHICH(type, PB_ONEOF_NAME(UNION, name))
#define WHICH(type, oneof) WHICH_OF(type, oneof)
#define WHICH_OF(type, oneof) (int)offsetof(type, which_##oneof)

#define VALUE_STATIC_SINGULAR(type, name) sizeof(MEMBER(type, name))
#define VALUE_STATIC_OPTIONAL(type, name) sizeof(MEMBER(type, name))
#define VALUE_STATIC_REQUIRED(type, name) sizeof(MEMBER(type, name))
#define VALUE_STATIC_ONEOF(type, name) sizeof(MEMBER(type, name))
#define VALUE_STATIC_REPEATED(type, name) sizeof(MEMBER(type, name)[0])
#define VALUE_STATIC_FIXARRAY(type, name) sizeof(MEMBER(type, name)[0])
#define VALUE_POINTER_SINGULAR(type, name) sizeof(*MEMBER(type, name))
#define VALUE_POINTER_OPTIONAL(type, name) sizeof(*MEMBER(type, name))
#define VALUE_POINTER_REQUIRED(type, name) sizeof(*MEMBER(type, name))
#define VALUE_POINTER_ONEOF(type, name) sizeof(*MEMBER(type, name))
#define VALUE_POINTER_REPEATED(type, name) sizeof(*MEMBER(type, name))
#define VALUE_POINTER_FIXARRAY(type, name) sizeof((*MEMBER(type, name))[0])

#define COUNT_STATIC_SINGULAR(type, name) 0
#define COUNT_STATIC_OPTIONAL(type, name) 0
#define COUNT_STATIC_REQUIRED(type, name) 0
#define COUNT_STATIC_ONEOF(type, name) 0
#define COUNT_STATIC_REPEATED(type, name) sizeof(MEMBER(type, name)) / sizeof(MEMBER(type, name)[0])
#define COUNT_STATIC_FIXARRAY(type, name) sizeof(MEMBER(type, name)) / sizeof(MEMBER(type, name)[0])
#define COUNT_POINTER_SINGULAR(type, name) 0
#define COUNT_POINTER_OPTIONAL(type, name) 0
#define COUNT_POINTER_REQUIRED(type, name) 0
#define COUNT_POINTER_ONEOF(type, name) 0
#define COUNT_POINTER_REPEATED(type, name) 0
#define COUNT_POINTER_FIXARRAY(type, name) sizeof(*MEMBER(type, name)) / sizeof((*MEMBER(type, name))[0])

struct expected_field {
    uint32_t number;
    const char *name, *proto_type;
    bool pointer, required, repeated, fixed_count, oneof;
    size_t offset, value, count;
    int presence; /* -1: none */
};

unsigned check_field(const struct hw_type *table, const struct expected_field *expected);
unsigned check_type(const struct hw_type *table, const char *name, size_t size, unsigned fields);

#define CHECK_ONE(type, atype, htype, ltype, name, number)                                                            \
    faults += check_field(                                                                                            \
        table, &(struct expected_field){                                                                              \
                   number, #type " " #name, #ltype, strcmp(#atype, "POINTER") == 0, strcmp(#htype, "REQUIRED") == 0,  \
                   strcmp(#htype, "REPEATED") == 0 || strcmp(#htype, "FIXARRAY") == 0,                                \
                   strcmp(#htype, "FIXARRAY") == 0, strcmp(#htype, "ONEOF") == 0, offsetof(type, NAME_##htype(name)), \
                   VALUE_##atype##_##htype(type, NAME_##htype(name)),                                                 \
                   COUNT_##atype##_##htype(type, NAME_##htype(name)), PRESENCE_##atype##_##htype(type, name)});       \
    fields++;

#define CHECK_TABLE(type)                                                                                 \
    static unsigned check_##type(const struct hw_type *table) {                                           \
        unsigned faults = 0, fields = 0;                                                                  \
        type##_FIELDLIST(CHECK_ONE, type) return faults + check_type(table, #type, sizeof(type), fields); \
    }

#endif /* UNCHECKED */

#endif
