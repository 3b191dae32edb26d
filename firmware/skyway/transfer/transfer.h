/* Streams over a link (docs/skyway.md, "Link"): SkywaySocketOutputStream, SkywaySocketInputStream.
 *
 * A buffer is a transfer: BEGIN, DATA as it is flushed, FINISH. The receiver's program is told when all of it has arrived, once,
 * and the sender's `hw_skyway_finish` is true only if it was. A transfer that broke is begun anew, by sending the roots again
 * in a new phase. Several may be under way on a link, each with a receiver of its own.
 */
#ifndef HW_SKYWAY_TRANSFER_TRANSFER_H
#define HW_SKYWAY_TRANSFER_TRANSFER_H

#include "skyway/receiver/input.h"
#include "skyway/registry/link.h"
#include "skyway/sender/output.h"

struct hw_skyway_link_sink {
    struct hw_skyway_sink sink;
    struct skyway_link *link;
    uint32_t transfer; /* numbers count on since this machine began */
    uint32_t offset;   /* bytes that the receiver has */
    bool under_way;
    uint32_t lost;     /* the transfer that ended here without the receiver's knowing, 0: none. Ended there before the next one begins, so go on with the same sink */
    /* Why the last transfer failed: HW_STATUS_OK, HW_SKYWAY_NOT_SENT (nobody answered), HW_SKYWAY_CUT (the receiver lost what it had: it
     * began anew, or another transfer did), or the status with which the receiver rejected the stream. */
    int reason;
    struct packet request;
};

/* `buffer`, 8-byte aligned, is the output buffer. hw_skyway_sender, drawn anew whenever the machine begins, tells its transfers from
 * earlier ones of the same number. */
void hw_skyway_link_sink(struct hw_skyway_link_sink *sink, struct skyway_link *link, void *buffer, uint32_t bytes);

/* A transfer that arrives on a link, one after the other. */
struct hw_skyway_receiver {
    struct hw_skyway_input input; /* read roots from it in `arrived` */
    struct hw_skyway_source nothing;
    /* A buffer is whole. Roots that are not read here are never read. */
    void (*arrived)(struct hw_skyway_receiver *receiver);
    void *context;
    bool under_way;
    uint32_t session, transfer, offset; /* of the one under way, or of the last one */
    int outcome;                        /* of the last one */
};

/* `work` as in hw_skyway_input_open. */
void hw_skyway_receiver_open(struct hw_skyway_receiver *receiver, void *work, uint32_t work_bytes, struct hw_skyway_layout own,
                             void (*arrived)(struct hw_skyway_receiver *receiver));

/* Answers the request, with `count` receivers for the link, if it is of a transfer; false: it is not. Called by what serves the link. A
 * safepoint. */
bool hw_skyway_receivers_answer(struct hw_skyway_receiver *receivers, uint32_t count, const struct packet *request, struct packet *response);

/* Gives up what has come of a transfer that is not whole: the line is cut, or nobody has sent for long. */
void hw_skyway_receiver_drop(struct hw_skyway_receiver *receiver);

#endif
