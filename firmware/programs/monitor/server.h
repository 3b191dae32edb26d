/* Serves one request after the other from a line (docs/reference/monitor_protocol.md). Rejects damaged requests.
 * Answers a repeated request again, without executing it again. The caller executes requests. */
#ifndef HW_PROGRAMS_MONITOR_SERVER_H
#define HW_PROGRAMS_MONITOR_SERVER_H

#include "packet/frame.h"
#include "records/monitor.h"

struct server {
    /* Executes a new request. Returns the status of the answer and fills the body of `response`, which is empty
     * before. */
    enum answer (*answer)(struct server *server, const struct packet *request, struct packet *response);
    struct frame_reader reader;
    struct packet request, response;
    bool answered; /* at least one request was answered; the next members describe the last one */
    uint8_t last_sequence;
    uint32_t last_crc;
};

/* Takes the next byte of the line. If it ends a frame, sends the answer through `put`. Returns true if a valid request
 * was answered; it is in server->request. */
bool server_take(struct server *server, uint8_t byte, void (*put)(uint8_t byte));

#endif
