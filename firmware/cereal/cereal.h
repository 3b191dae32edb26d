/* Cereal: object graphs onto the wire and back, by the units of J. Jang et al., ISCA 2020 (docs/reference/cereal.md,
 * docs/reference/units/cereal.md).
 *
 *   hw_cereal_initialize(false);
 *   hw_cereal_register_class(HW_CLASS_ListNode);             ... the same classes in the same order on both sides
 *   struct hw_cereal context;
 *   hw_cereal_open(&context, work, sizeof work);
 *   struct hw_cereal_output output;
 *   hw_cereal_output_open(&output, memory, sizeof memory);
 *   if (!hw_cereal_write(&context, &output, list))
 *       ... context.status says what is wrong, context.at is the address of the object at fault ...
 *
 *   struct hw_cereal_input input;
 *   hw_cereal_input_open(&input, memory, length);
 *   hw_handle copy;
 *   if (!hw_cereal_read(&context, &input, &copy))
 *       ... context.status, context.offset say what is wrong and where ...
 *
 * The first error stays in the context and every later call fails with it; hw_cereal_clear forgets it. Software
 * (cereal/codec) executes the commands that the units cannot: all commands without units, classes beyond the units'
 * tables, objects that another serialization has claimed, graphs that need more than the work area. `fallbacks` counts
 * these commands.
 *
 * To keep several units busy, a thread begins several commands, each in a context of its own, before it ends the first:
 *
 *   for (i = 0; i < n; i++)
 *       hw_cereal_write_begin(&contexts[i], &outputs[i], graphs[i]);
 *   for (i = 0; i < n; i++)
 *       if (!hw_cereal_write_end(&contexts[i], &outputs[i])) ... contexts[i].status ...
 */
#ifndef HW_CEREAL_CEREAL_H
#define HW_CEREAL_CEREAL_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/heap/adopt.h"
#include "runtime/klass.h"
#include "units/status.h"
#include "runtime/object_stream.h"

/* Sources and targets of object streams: memory, or another medium with its own functions.
 *
 * A stream is written and read as a whole, in memory that units can reach, 16-byte aligned, because its header contains
 * sizes that are known last. A medium other than memory therefore has a buffer. The functions below tell it when to
 * send or fill the buffer.
 */

struct hw_cereal_output {
    uint8_t *at;    /* where the next stream goes; 16-byte aligned, outside the managed heap */
    uint8_t *limit; /* where it must end */
    /* Called when the `bytes` bytes at `at`, a multiple of 16, are a stream. Keeps or sends the stream and sets `at`
     * and `limit` for the next one. May wait, and be a safepoint. Returns false if the stream could not be sent. */
    bool (*complete)(struct hw_cereal_output *output, uint32_t bytes);
};

struct hw_cereal_input {
    const uint8_t *at;    /* the next stream; 16-byte aligned, outside the managed heap */
    const uint8_t *limit; /* the end of what is available */
    /* Makes at least `bytes` bytes available from `at` on; may move what is available already. May wait, and be a
     * safepoint. Returns false if there will not be as many; the available bytes then stay. NULL: no more bytes will
     * come. */
    bool (*fetch)(struct hw_cereal_input *input, uint32_t bytes);
    /* Called when the first `bytes` bytes, a multiple of 16, have been read: moves `at` on. */
    void (*consume)(struct hw_cereal_input *input, uint32_t bytes);
};

/* Makes an output of consecutive streams in memory, from the first multiple of 16 on. */
void hw_cereal_output_open(struct hw_cereal_output *output, void *memory, uint32_t bytes);

/* Makes an input of consecutive streams in memory; `memory` must be 16-byte aligned. */
void hw_cereal_input_open(struct hw_cereal_input *input, const void *memory, uint32_t bytes);

/* Initialize: unregisters all classes. Streams that are written from now on have mark words, or with `strip` none. No
 * serialization may be under way. */
void hw_cereal_initialize(bool strip);

#define HW_CEREAL_REFUSED (-1)

/* RegisterClass: returns the class's id, also if it is registered already. Returns HW_CEREAL_REFUSED if the class has
 * no serialization metadata or no name, if it is a message's, or if HW_CEREAL_CLASSES classes are registered. */
int32_t hw_cereal_register_class(const struct hw_klass *klass);

struct hw_cereal_command {
    struct hw_pending pending; /* of the thread that began it */
    bool reads;
    int32_t tag;
    const void *stream;      /* its hw_cereal_output or hw_cereal_input */
    hw_handle handle;        /* the root of the graph that is written or read */
    uint32_t length;         /* of the stream, in bytes */
    uint32_t epoch;          /* the epoch in which it is written */
    struct hw_reserve image; /* the piece of the heap in which it is built */
    hw_status status;        /* of a command that has failed */
    uint32_t offset;         /* of the error in the input */
    hw_ref at;               /* the object at fault */
};

/* The serializations of a thread, one at a time. The struct must not move from a begin to its end. */
struct hw_cereal {
    struct hw_cereal_command command;
    void *work;
    uint32_t work_bytes;
    bool written_by_unit; /* commands to write go to the unit first */
    bool read_by_unit;    /* commands to read go to the unit first */
    hw_status status;     /* the first error */
    uint32_t offset;      /* of the error in the input stream, a multiple of 16 */
    hw_ref at;            /* the address of the object at fault at the time of the error; 0: none */
    uint32_t fallbacks;
};

/* Opens a context. `work`, 64-byte aligned and outside the managed heap, belongs to the context as long as it is used.
 * Writing needs up to 16 bytes per object and 5 per reference; reading needs a byte per 32 bytes of the image. */
void hw_cereal_open(struct hw_cereal *context, void *work, uint32_t work_bytes);

/* Writes the graph of `object` as one stream. A safepoint before the command, since epochs may run out; no object moves
 * during the command. After an error the output is as it was. */
bool hw_cereal_write(struct hw_cereal *context, struct hw_cereal_output *output, hw_handle object);

/* Reads one stream into new objects of the managed heap. A new local handle holds the root. A safepoint. After an error
 * there are no new objects and the stream is still there to be read. */
bool hw_cereal_read(struct hw_cereal *context, struct hw_cereal_input *input, hw_handle *result);

/* hw_cereal_write in two steps. A unit works between them if it accepts the command; otherwise software executes
 * the command in the end call.
 *
 * From a begin to its end, which the same thread calls: `output` belongs to this command, the handle and the graph, its
 * slots included, do not change, and neither does the `input` of a read. If another command in flight has claimed
 * objects of the graph, software writes the graph, as always. A begin may be a safepoint, and so may an end that leaves
 * work to software. A safepoint in between waits until the units have completed the thread's commands and takes their
 * outcomes, so that nothing moves under a unit. It costs the time that the commands would have overlapped with the
 * thread, and no more. Software writes only while no unit does, for any thread, because both would claim objects. A
 * begin that returns false needs no end. */
bool hw_cereal_write_begin(struct hw_cereal *context, struct hw_cereal_output *output, hw_handle object);
bool hw_cereal_write_end(struct hw_cereal *context, struct hw_cereal_output *output);

/* hw_cereal_read in two steps. The new handle belongs to the scope that is open at the begin, and is empty until
 * the end. */
bool hw_cereal_read_begin(struct hw_cereal *context, struct hw_cereal_input *input);
bool hw_cereal_read_end(struct hw_cereal *context, struct hw_cereal_input *input, hw_handle *result);

/* Forgets the first error. */
static inline void hw_cereal_clear(struct hw_cereal *context) {
    context->status = HW_STATUS_OK;
    context->offset = 0;
    context->at = 0;
}

/* Cereal behind the interface of object streams (runtime/object_stream.h): one Cereal stream per root. */

struct hw_cereal_object_output {
    struct hw_object_output stream;
    struct hw_cereal *context; /* has the status */
    struct hw_cereal_output *output;
};

struct hw_cereal_object_input {
    struct hw_object_input stream;
    struct hw_cereal *context;
    struct hw_cereal_input *input;
};

struct hw_object_output *hw_cereal_object_output(struct hw_cereal_object_output *made, struct hw_cereal *context,
                                                 struct hw_cereal_output *output);
struct hw_object_input *hw_cereal_object_input(struct hw_cereal_object_input *made, struct hw_cereal *context,
                                               struct hw_cereal_input *input);

#endif
