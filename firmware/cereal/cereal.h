/* Cereal: object graphs onto the wire and back, by the units of J. Jang et al., ISCA 2020 (docs/cereal.md,
 * docs/units/cereal.md).
 *
 *   hw_cereal_initialize(false);
 *   hw_cereal_register_class(HW_CLASS_ListNode);             ... the same classes in the same order on both sides
 *   struct hw_cereal context;
 *   hw_cereal_open(&context, work, sizeof work);
 *   struct hw_cereal_output output;
 *   hw_cereal_output_memory(&output, memory, sizeof memory);
 *   if (!hw_cereal_write_object(&context, &output, list))
 *       ... context.status says what is wrong, context.at is the address of the object at fault ...
 *
 *   struct hw_cereal_input input;
 *   hw_cereal_input_memory(&input, memory, length);
 *   hw_handle copy;
 *   if (!hw_cereal_read_object(&context, &input, &copy))
 *       ... context.status, context.offset say what is wrong and where ...
 *
 * The first error stays in the context and every later call fails with it; hw_cereal_clear forgets it. Software
 * (cereal/codec) does what the units cannot: all of it without units, classes beyond their tables, objects that
 * another serialization has in use, graphs beyond the work area. `fallbacks` counts these commands.
 *
 * Several units work at a time for a thread that begins several commands, each in a context of its own, before it ends
 * the first:
 *
 *   for (i = 0; i < n; i++)
 *       hw_cereal_begin_write(&contexts[i], &outputs[i], graphs[i]);
 *   for (i = 0; i < n; i++)
 *       if (!hw_cereal_end_write(&contexts[i], &outputs[i])) ... contexts[i].status ...
 */
#ifndef HW_CEREAL_CEREAL_H
#define HW_CEREAL_CEREAL_H

#include "runtime/handle.h"
#include "runtime/heap/reserve.h"
#include "runtime/klass.h"
#include "cereal/stream.h"

/* Statuses of the driver's own, beside HW_STATUS_*: the table of local handles is full. */
#define HW_CEREAL_NO_HANDLE 0x100
/* ... a collection made no room for the image. */
#define HW_CEREAL_OUT_OF_MEMORY 0x101
/* ... every epoch is in use by an open serialization. */
#define HW_CEREAL_OUT_OF_EPOCHS 0x102
/* ... the output stream could not complete. */
#define HW_CEREAL_NOT_SENT 0x103
/* ... a begin of a context whose command has not been ended, an end without its begin, or of another stream. */
#define HW_CEREAL_OUT_OF_TURN 0x104

/* Initialize: no class is registered any more; streams that are written from now on have marks, or have their headers
 * stripped. No serialization may be under way. */
void hw_cereal_initialize(bool strip);

#define HW_CEREAL_REFUSED (-1)

/* RegisterClass: the class's id, the one it has if it is registered already. HW_CEREAL_REFUSED: it has no serialization
 * metadata, no name, is a message's, or is one more than HW_CEREAL_CLASSES. */
int32_t hw_cereal_register_class(const struct hw_klass *klass);

/* What has become of a command that has begun. */
enum hw_cereal_stage {
    HW_CEREAL_NONE,
    HW_CEREAL_IN_FLIGHT, /* a unit has it */
    HW_CEREAL_DEFERRED,  /* software will do it, at its end */
    HW_CEREAL_DONE,
    HW_CEREAL_FAILED,
};

struct hw_cereal_command {
    struct hw_pending pending; /* of the thread that began it */
    enum hw_cereal_stage stage;
    bool reads;
    int32_t tag;
    const void *stream;        /* the hw_cereal_output or hw_cereal_input it is of */
    hw_handle handle;          /* the graph's root, written or read */
    uint32_t length;           /* of the stream */
    uint32_t epoch;            /* written in */
    struct hw_reserve image;   /* built in */
    int status;                /* of a command that has failed, */
    uint32_t offset;           /* ... and where: in the input, */
    hw_ref at;                 /* ... or the object */
};

/* A thread's serializations, one at a time. It stays where it is from a begin to its end. */
struct hw_cereal {
    struct hw_cereal_command command;
    void *work;
    uint32_t work_bytes;
    bool written_by_unit; /* commands to write go to the unit first, */
    bool read_by_unit;    /* ... and those to read */
    int status;           /* first error: HW_STATUS_* or HW_CEREAL_* */
    uint32_t offset;      /* ... in the input stream, a multiple of 16 */
    hw_ref at;            /* ... the object at fault, 0: none; where it was then */
    uint32_t fallbacks;
};

/* `work`, 64-byte aligned and outside the managed heap, is the context's as long as it is used. Writing needs up to 16
 * bytes an object and 5 a reference, reading a byte for every 32 of the image. */
void hw_cereal_open(struct hw_cereal *context, void *work, uint32_t work_bytes);

/* Writes what `object` leads to as one stream. Nothing moves meanwhile; a safepoint before it, since epochs may run
 * out. After an error nothing is in the stream that was not before. */
bool hw_cereal_write_object(struct hw_cereal *context, struct hw_cereal_output *output, hw_handle object);

/* Reads one stream into new objects of the managed heap, the root held by a new local handle. A safepoint. After an
 * error no object is new and the stream is still there to be read. */
bool hw_cereal_read_object(struct hw_cereal *context, struct hw_cereal_input *input, hw_handle *result);

/* The same in two steps: a unit works between them, if it can have the command; else software does, within the end.
 *
 * From a begin to its end, which the same thread calls: `output` is this command's alone and `input` stays as it is; the
 * handle and the graph stay as they are, the graph's slots too; what another command in flight has in use of the graph
 * is software's to write, as ever. A begin may be a safepoint, and so may an end that leaves work to software. Any
 * safepoint in between waits until the units are done with the thread's commands and takes their outcomes, so that nothing
 * moves under a unit: it costs what they would have done at the same time, and no more. Software writes only while no
 * unit does, of any thread: both would claim objects. A begin that is false needs no end. */
bool hw_cereal_begin_write(struct hw_cereal *context, struct hw_cereal_output *output, hw_handle object);
bool hw_cereal_end_write(struct hw_cereal *context, struct hw_cereal_output *output);

/* The new handle is of the scope that is open at the begin; nothing is in it before the end. */
bool hw_cereal_begin_read(struct hw_cereal *context, struct hw_cereal_input *input);
bool hw_cereal_end_read(struct hw_cereal *context, struct hw_cereal_input *input, hw_handle *result);

/* Forgets the first error. */
static inline void hw_cereal_clear(struct hw_cereal *context)
{
    context->status = HW_STATUS_OK;
    context->offset = 0;
    context->at = 0;
}

#endif
