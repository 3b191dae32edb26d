/* Statuses that only Skyway's calls return, beside HW_STATUS_* (docs/reference/skyway.md). */
#ifndef HW_SKYWAY_STATUS_H
#define HW_SKYWAY_STATUS_H

enum hw_skyway_status {
    /* Classes and their numbers. */
    HW_SKYWAY_NO_REGISTRY = 0x200, /* hw_skyway_join and hw_skyway_drive were not called, or failed */
    HW_SKYWAY_LOST_DRIVER,         /* the driver does not answer */
    /* the driver, or the sender of a stream, has another numbering of classes: it has restarted */
    HW_SKYWAY_OTHER_REGISTRY,
    HW_SKYWAY_CLASS_CONFLICT, /* a class of this name has another layout elsewhere */
    HW_SKYWAY_REGISTRY_FULL,  /* more classes, or longer names, than fit */
    HW_SKYWAY_BAD_CLASS,      /* no class of its kind has such sizes and references */
    HW_SKYWAY_UNKNOWN_CLASS,  /* a stream has objects of a class that cannot be loaded here */
    /* Sending. */
    HW_SKYWAY_NO_PHASE,       /* no shuffling phase is open */
    HW_SKYWAY_BAD_FORMAT,     /* no heap has such a format */
    HW_SKYWAY_OUT_OF_STREAMS, /* too many streams at a time, or 65,535 in one phase */
    /* Receiving. */
    HW_SKYWAY_END,           /* no more objects, between two buffers: not an error */
    HW_SKYWAY_CUT,           /* the stream ends within a buffer */
    HW_SKYWAY_OTHER_LAYOUT,  /* the buffer's objects are laid out for another receiver */
    HW_SKYWAY_UPDATE_FAILED, /* a registered update function returned false */
};

#endif
