/* Numbers in the packets that machines exchange (docs/reference/skyway.md, "Link"). */
#ifndef HW_SKYWAY_REGISTRY_PROTOCOL_H
#define HW_SKYWAY_REGISTRY_PROTOCOL_H

enum skyway_operation {
    SKYWAY_REQUEST_VIEW = 0x20,
    SKYWAY_LOOKUP,
    SKYWAY_BEGIN,
    SKYWAY_DATA,
    SKYWAY_FINISH,
};

enum skyway_answer {
    SKYWAY_OK = 0,
    SKYWAY_UNKNOWN_OPERATION = 2,
    SKYWAY_BAD_BODY,
    SKYWAY_OTHER_REGISTRY = 32,
    SKYWAY_CONFLICT,
    SKYWAY_FULL,
    SKYWAY_NO_TRANSFER,
    SKYWAY_REFUSED,
};

#define SKYWAY_RESPONSE 0x80
/* Most bytes of a stream in one DATA packet: a multiple of 8; three words precede them. */
#define SKYWAY_DATA_MAX 992

#endif
