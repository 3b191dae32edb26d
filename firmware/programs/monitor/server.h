/* One request after the other from a line (docs/monitor_protocol.md): damaged ones are refused, repeated ones answered
 * again without being carried out again. What requests ask for is somebody else's business. */
#ifndef HW_PROGRAMS_MONITOR_SERVER_H
#define HW_PROGRAMS_MONITOR_SERVER_H

#include "packet/frame.h"
#include "programs/monitor/protocol.h"

struct server {
    /* Carries out the request, a new one: the answer's status; its body goes into `response`, which has none yet. */
    enum answer (*answer)(struct server *server, const struct packet *request, struct packet *response);
    struct frame_reader reader;
    struct packet request, response;
    bool answered; /* once at least; the last request that was: */
    uint8_t last_sequence;
    uint32_t last_crc;
};

/* Takes the next byte of the line; answers through `put` when it ends a frame. True: a sound request was answered, that
 * of server->request. */
bool server_take(struct server *server, uint8_t byte, void (*put)(uint8_t byte));

#endif
