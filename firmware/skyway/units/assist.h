/* The part of Skyway's work that a unit can do: the traversal and the clones of a root, and the pass over a chunk. The
 * streams first ask the unit. Software does what the unit leaves, and counts it (`fallbacks` of the streams).
 * hw_skyway_units returns the driver of such a unit.
 */
#ifndef HW_SKYWAY_UNITS_ASSIST_H
#define HW_SKYWAY_UNITS_ASSIST_H

#include "skyway/receiver/input.h"
#include "skyway/sender/output.h"

/* Arguments and results of the operations skyway_write_object and skyway_read_object
 * (docs/reference/units/cereal_skyway.md). */
struct hw_skyway_sending {
    hw_ref object;
    uint8_t *output, *output_limit;
    void *work; /* 64-byte aligned, 1 << work_log bytes */
    uint32_t work_log, owner, bound, limit, relative;
};

struct hw_skyway_sent {
    hw_status status;
    uint32_t types, top; /* of the objects that have been claimed, whatever the status */
    /* Unless the status is OK: the number of objects that have been claimed, and the object at fault; 0: none. */
    uint32_t objects;
    hw_ref at;
};

struct hw_skyway_moving {
    hw_ref chunk; /* 64-byte aligned */
    uint32_t bytes;
    /* 64-byte aligned, in whole blocks of 64 bytes; a bit for every 8 bytes of the chunk: 1 where an object starts */
    uint32_t *map;
    uint32_t map_bytes;
};

struct hw_skyway_moved {
    hw_status status;
    /* Unless the status is OK: whether the chunk has been changed, and the address at fault. */
    bool replaced;
    uint32_t at;
};

struct hw_skyway_assist {
    /* Execute a command. Return false if no unit does; then nothing has happened. */
    bool (*send)(const struct hw_skyway_sending *sending, struct hw_skyway_sent *sent);
    bool (*receive)(const struct hw_skyway_moving *moving, struct hw_skyway_moved *moved);
    /* Copies many bytes, as memcpy does. Returns HW_STATUS_*. */
    int (*copy)(void *to, const void *from, uint32_t bytes);
    /* Waits until no command is under way, for any thread. Called in an outermost critical section, which it leaves and
     * enters again. */
    void (*quiet)(void);
    /* In such a section: announces a class that has a type id; makes the units forget all classes. */
    void (*learn)(const struct hw_klass *klass);
    void (*forget)(void);
};

/* NULL: software does everything. */
extern const struct hw_skyway_assist *hw_skyway_assist;

/* Uses the unit from now on, and announces all classes that have ids to it. NULL: uses no unit. Any thread may call it
 * at any time, but not in a critical section. */
void hw_skyway_assist_by(const struct hw_skyway_assist *assist);

/* Begins a critical section in which classes may change, because no command of the unit is in flight. The registry's
 * files end it with hw_critical_leave. */
void skyway_classes_enter(void);

/* Finds the part of the queue's memory that the unit borrows. */
void skyway_lend_queue(struct hw_skyway_output *stream);

/* Sends what the root adds by the unit, and returns the root's relative address. Returns 0 if the unit has sent
 * nothing, or only the beginning; software then continues. A safepoint before it begins. Errors in the graph are left
 * to software to find; errors of the machine become the stream's status. */
uint32_t skyway_send_by_unit(struct hw_skyway_output *stream, hw_handle root);

/* For a buffer of which nothing is absolutized. Returns true if the unit of `assist` has decided about the buffer:
 * `*good` tells whether it is accepted or rejected. */
bool skyway_absolutize_by_unit(const struct hw_skyway_assist *assist, struct hw_skyway_input *stream, bool *good);

/* Skyway's work done by Cereal's units, if they have modes for it (docs/reference/units/cereal_skyway.md).
 *
 *   hw_skyway_assist_by(hw_skyway_units());
 *
 * Repeat the call after hw_cereal_initialize, which makes units forget all classes.
 */

/* Returns the functions that Skyway's streams call; NULL if no unit has these modes. */
const struct hw_skyway_assist *hw_skyway_units(void);

#endif
