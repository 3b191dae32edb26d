/* Protocol Buffers: deserialization from the wire into managed objects.
 *
 *   struct hw_protobuf context;
 *   hw_protobuf_open_heap(&context);
 *   hw_scope scope = hw_scope_open();
 *   hw_handle message;
 *   if (!hw_protobuf_read(&context, type, input, length, &message))
 *       ... context.status, context.offset say what is wrong and where ...
 *   hw_scope_close(scope);
 *
 * The first error stays in the context and every later call fails with it, so a sequence of calls can be checked once
 * at its end; hw_protobuf_clear forgets it. Software (protobuf/codec) executes the commands that the unit cannot: all
 * commands without a unit, and input for which the unit returns UNSUPPORTED or MISSING_REQUIRED (a later part of the
 * input may bring the required field). `fallbacks` counts these commands.
 *
 * The objects lie in the managed heap, or with hw_protobuf_open in arenas of the caller. An error leaves either as it
 * was. In the managed heap a call is a safepoint. If a message finds no room there even after collections, the call
 * raises the error HW_STATUS_OUT_OF_MEMORY, and the context's status is HW_STATUS_OUT_OF_MEMORY. Input lies outside
 * the managed heap.
 */
#ifndef HW_PROTOBUF_PROTOBUF_H
#define HW_PROTOBUF_PROTOBUF_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/thread.h"
#include "units/status.h"
#include "runtime/message.h"

#define HW_PROTOBUF_DEFAULT_DEPTH 100

/* The members that every call uses come first, within one line of the data cache. `read_in`, `read_in_heap` and
 * `write_below` say at once whether a call is no more than a command. After an error, and where there is no unit, they
 * do not have the values named here, and the call finds out what else is to be done. */
struct hw_protobuf {
    __attribute__((aligned(16))) struct hw_arenas *read_in; /* `arenas` */
    union {
        uint32_t limits; /* both of these, as the unit takes them */
        struct {
            uint16_t max_depth; /* most messages and groups open within the root; 0: the unit's limit */
            uint16_t left_from; /* strings of at least so many bytes stay in the input; 0: none do */
        };
    };
    uint32_t bound;       /* all objects lie in [bound, limit) */
    uint32_t write_below; /* `limit` */
    uint32_t limit;
    struct hw_arenas *arenas; /* NULL: the objects lie in the managed heap */
    hw_status status;         /* the first error */
    uint32_t offset;          /* of the first error in its input */
    uint32_t fallbacks;
    bool read_by_unit, written_by_unit; /* commands go to the unit first: see hw_protobuf_software_only */
    bool read_in_heap;                  /* whether `arenas` is NULL */
};

/* Initializes a context whose objects lie in two arenas (hw_arena_init), which belong to the context meanwhile. */
void hw_protobuf_open(struct hw_protobuf *context, struct hw_arenas *arenas);

/* Initializes a context whose objects lie in the managed heap (hw_heap_init). Any thread may use the context, one at a
 * time. */
void hw_protobuf_open_heap(struct hw_protobuf *context);

/* From now on strings and bytes fields of at least `from` bytes (1 to 32,767; 0: none) may stay in the input, where
 * views (struct hw_byte_view) refer to them. All inputs lie in the `size` bytes at `buffer`. The caller keeps these
 * bytes, unchanged, as long as the messages are in use. For contexts with arenas. A permission, which software does not
 * use: messages that it parses have copies. */
void hw_protobuf_leave_strings(struct hw_protobuf *context, uint32_t from, const void *buffer, uint32_t size);

/* From now on software executes the context's commands. */
void hw_protobuf_software_only(struct hw_protobuf *context);

/* Parses `length` bytes at `input` into a new object of `type`, held by a new local handle. Returns false with an error
 * in the context. */
static bool hw_protobuf_read(struct hw_protobuf *context, const struct hw_type *type, const void *input,
                             uint32_t length, hw_handle *result);

/* Like hw_protobuf_read, in the managed heap: parses the first `length` bytes of a byte array of the heap. Strings and
 * bytes fields of at least `from` bytes (1 to 32,767) may stay there: their views keep the array alive, and nobody may
 * change it any more. OUT_OF_BOUNDS: the array is shorter; BAD_COMMAND: the context has arenas. */
bool hw_protobuf_read_array(struct hw_protobuf *context, const struct hw_type *type, hw_handle array, uint32_t length,
                            uint32_t from, hw_handle *result);

/* A command that runs while its thread goes on. It is settled at the next safepoint at the latest. The struct, its
 * context and its arenas must last, and belong to its thread, until hw_protobuf_read_end. */
struct hw_protobuf_reading {
    struct hw_pending pending;
    struct hw_protobuf *context;
    struct hw_arenas *arenas; /* NULL: in the managed heap */
    const struct hw_type *type;
    const void *input;
    uint32_t length;
    hw_handle handle; /* on the result */
    int32_t tag;
    hw_status status;
    uint32_t offset;
};

/* Begins hw_protobuf_read. A command that cannot begin, or that must be repeated, is left to hw_protobuf_read_end.
 * As many commands may be in flight as there are tags. But a command in flight that allocates in the same place (the
 * same arenas, or for one thread the managed heap) is settled first. Returns false with an error in the context. */
static bool hw_protobuf_read_begin(struct hw_protobuf *context, const struct hw_type *type, const void *input,
                                   uint32_t length, struct hw_protobuf_reading *command);

/* Ends a submitted command, on the thread that submitted it, in the scope of the submission or an inner one. The handle
 * belongs to that scope. */
static bool hw_protobuf_read_end(struct hw_protobuf_reading *command, hw_handle *result);

/* Forgets the first error. */
static void hw_protobuf_clear(struct hw_protobuf *context);

/* Protocol Buffers: serialization of managed objects onto the wire.
 *
 *   struct hw_bytes bytes;
 *   if (!hw_protobuf_write(&context, type, message, output, sizeof(output), &bytes))
 *       ... context.status says what is wrong, context.offset is the address of the object at fault ...
 *
 * The context is that of protobuf/protobuf.h. Its objects, in arenas or in the managed heap, are only read. Software
 * (protobuf/codec) executes the commands that the unit cannot; `fallbacks` counts them. Not a safepoint: nothing moves
 * meanwhile.
 */

/* Writes the message to the end of the `size` bytes at `output`, not NULL; `bytes` becomes its place. Nothing outside
 * `output` is written; on an error its contents are undefined. Returns false with an error in the context. */
static bool hw_protobuf_write(struct hw_protobuf *context, const struct hw_type *type, hw_handle message, void *output,
                              uint32_t size, struct hw_bytes *bytes);

/* A command that runs while its thread goes on. It is settled at the next safepoint at the latest, so that its objects
 * do not move under it. The struct, the output and the handle must last until hw_protobuf_write_end, and the
 * objects must not change. */
struct hw_protobuf_writing {
    struct hw_pending pending;
    struct hw_protobuf *context;
    const struct hw_type *type;
    hw_handle message;
    void *output;
    uint32_t size;
    int32_t tag;
    hw_status status;
    uint32_t start, length, at;
};

/* Begins hw_protobuf_write. As many commands may be in flight as there are tags. Returns false with an error in the
 * context. */
static bool hw_protobuf_write_begin(struct hw_protobuf *context, const struct hw_type *type, hw_handle message,
                                    void *output, uint32_t size, struct hw_protobuf_writing *writing);

/* Ends a submitted command, on the thread that submitted it. */
static bool hw_protobuf_write_end(struct hw_protobuf_writing *writing, struct hw_bytes *bytes);

#include "protobuf/driver.h"

#endif
