/* What a unit can do of Skyway's work: the traversal and the clones of a root, the pass over a chunk. The streams ask it first; what
 * it leaves, software does, and counts it (`fallbacks` of the streams). skyway/units/units.h is such a unit's driver.
 */
#ifndef HW_SKYWAY_UNITS_ASSIST_H
#define HW_SKYWAY_UNITS_ASSIST_H

#include "skyway/receiver/input.h"
#include "skyway/sender/output.h"
#include "runtime/klass.h"

/* Arguments and results of the operations skyway_write_object and skyway_read_object. */
struct hw_skyway_sending {
    hw_ref object;
    uint8_t *output, *output_limit;
    void *work; /* 64-byte aligned, 1 << work_log bytes */
    uint32_t work_log, owner, bound, limit, relative;
};

struct hw_skyway_sent {
    int status;
    uint32_t types, objects, top; /* of what has been claimed, whatever the status */
    hw_ref at;                    /* the object at fault, 0: none */
};

struct hw_skyway_moving {
    hw_ref chunk; /* 64-byte aligned */
    uint32_t bytes;
    uint32_t *map; /* 64-byte aligned; a bit for 8 bytes of the chunk, 1 where an object starts, in whole blocks of 64 bytes */
    uint32_t map_bytes;
};

struct hw_skyway_moved {
    int status;
    bool replaced; /* the chunk is no longer as it was */
    uint32_t at;
};

struct hw_skyway_assist {
    /* False: nobody does it, nothing has happened. */
    bool (*send)(const struct hw_skyway_sending *sending, struct hw_skyway_sent *sent);
    bool (*receive)(const struct hw_skyway_moving *moving, struct hw_skyway_moved *moved);
    /* Copies many bytes, as memcpy does; HW_STATUS_*. */
    int (*copy)(void *to, const void *from, uint32_t bytes);
    /* In a critical section, not one within another, which it leaves and enters again: waits until nothing of this is under way, for any thread. */
    void (*quiet)(void);
    /* In such a section: a class has its type id; none has one any more. */
    void (*learn)(const struct hw_klass *klass);
    void (*forget)(void);
};

/* NULL: software does everything. */
extern const struct hw_skyway_assist *hw_skyway_assist;

/* The unit is asked from now on, and told of all classes that have ids. NULL: nobody is. Any thread may call it at any time, but in a critical section. */
void hw_skyway_assist_by(const struct hw_skyway_assist *assist);

/* Begins a critical section in which classes may change: of the unit nothing is in flight. skyway_registry's files end it by hw_critical_leave. */
void skyway_classes_enter(void);

/* Sends what the root adds, and answers its relative address; or 0: nothing, or the beginning of it, and then software goes on from there. A safepoint before it
 * begins. What is wrong with the graph is left to software to find; what is with the machine is the stream's status. */
uint32_t skyway_send_by_unit(struct hw_skyway_output *stream, hw_handle root);

/* Whether the unit has decided about the buffer, which is `*good` or rejected. */
bool skyway_absolutize_by_unit(struct hw_skyway_input *stream, bool *good);

#endif
