/* Drives generated accessors by a script from standard input, described in driver.c. tests/accessors/types_source.py
 * writes the program's types.c for its schema. */
#ifndef TEST_DRIVER_H
#define TEST_DRIVER_H

#include <stdio.h>

#include "protobuf/messages/messages.h"

/* The functions by which a test uses one message type. */
struct driver_type {
    const char *name;
    const struct hw_message_info *info;
    const struct hw_message_names *names;
    hw_handle (*make)(void);
    hw_handle (*from)(hw_handle);
    bool (*build)(hw_handle);         /* reads commands up to number 0; returns false with an error */
    void (*print)(hw_handle, FILE *); /* by getters alone, as JSON */
    bool (*equals)(hw_handle, hw_handle);
    int32_t (*hash_code)(hw_handle);
};
extern const struct driver_type types[];

/* Ends the program. The test fails with `what`. */
void die(const char *what);

void script_load(void);
bool script_ended(void);
size_t script_tell(void);
void script_seek(size_t at);

/* Read the next part of the script. */
uint32_t read_32(void);
uint64_t read_64(void);
struct hw_bytes read_bytes(void);

/* Returns a copy with a 0 at its end, valid until the script's next bytes but one are read. */
const char *c_text(struct hw_bytes bytes);

/* Returns whether the bytes that were read since the last call can be C strings. */
bool are_texts(void);

void print_bytes(struct hw_bytes bytes, FILE *out);

/* Makes views of the byte strings among the objects of [start, limit), which the software deserializer has made of the
 * input. If there is an owner, the input is its elements. */
void leave_strings(hw_ref start, hw_ref limit, hw_ref owner, struct hw_bytes input);

/* Return what equals and hash_code must, of messages that do not nest too deep. */
bool are_alike(hw_handle a, hw_handle b, const struct hw_message_info *info);
int32_t plain_hash(hw_handle message, const struct hw_message_info *info);

/* Prints a JSON list, element by element. */
#define PRINT_LIST(count, print)                 \
    do {                                         \
        fputc('[', out);                         \
        for (uint32_t i = 0; i < (count); i++) { \
            if (i) fputc(',', out);              \
            print;                               \
        }                                        \
        fputc(']', out);                         \
    } while (0)

#endif
