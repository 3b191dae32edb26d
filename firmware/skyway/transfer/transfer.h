/* Streams over a link (docs/reference/skyway.md, "Link"): SkywaySocketOutputStream, SkywaySocketInputStream.
 *
 * Each buffer is a transfer: BEGIN, DATA as it is flushed, FINISH. The receiver's program is notified once, when the
 * whole buffer has arrived. The sender's `hw_skyway_output_end` returns true only if it has. A transfer that failed is
 * repeated by sending the roots again in a new phase. Several transfers may be under way on a link, each with its own
 * receiver.
 */
#ifndef HW_SKYWAY_TRANSFER_TRANSFER_H
#define HW_SKYWAY_TRANSFER_TRANSFER_H

#include "skyway/receiver/input.h"
#include "skyway/registry/link.h"
#include "skyway/sender/output.h"

struct hw_skyway_link_sink {
    struct hw_skyway_sink sink;
    struct skyway_link *link;
    uint32_t transfer; /* numbers continue since this machine began */
    uint32_t offset;   /* bytes that the receiver has acknowledged */
    bool under_way;
    /* a transfer that has ended here without the receiver knowing; 0: none. The next transfer first ends it there, so
     * continue with the same sink */
    uint32_t lost;
    /* Why the last transfer failed: HW_STATUS_OK; HW_STATUS_NOT_SENT (no answer); HW_SKYWAY_CUT (the receiver lost what
     * it had, because it restarted or another transfer began); or the status with which the receiver rejected the
     * stream. */
    int reason;
    struct packet request;
};

/* Initialises a sink. `buffer`, 8-byte aligned, is the output buffer. hw_skyway_sender, chosen anew whenever the
 * machine begins, tells its transfers from earlier ones with the same number. */
void hw_skyway_link_sink(struct hw_skyway_link_sink *sink, struct skyway_link *link, void *buffer, uint32_t bytes);

/* A receiver of transfers on a link, one after the other. */
struct hw_skyway_receiver {
    struct hw_skyway_input input; /* `arrived` reads roots from it */
    struct hw_skyway_source nothing;
    /* Called when a buffer has arrived completely. Roots that it does not read are lost. */
    void (*arrived)(struct hw_skyway_receiver *receiver);
    void *context;
    bool under_way;
    uint32_t session, transfer, offset; /* of the transfer under way, or of the last one */
    int outcome;                        /* of the last transfer */
};

/* Opens a receiver. `work` as in hw_skyway_input_open. */
void hw_skyway_receiver_open(struct hw_skyway_receiver *receiver, void *work, uint32_t work_bytes,
                             struct hw_skyway_layout own, void (*arrived)(struct hw_skyway_receiver *receiver));

/* Answers the request, with `count` receivers for the link, if it belongs to a transfer; else returns false. For the
 * function that serves the link. A safepoint. */
bool hw_skyway_receivers_answer(struct hw_skyway_receiver *receivers, uint32_t count, const struct packet *request,
                                struct packet *response);

/* Gives up an incomplete transfer, because the line is cut or nothing has arrived for long. */
void hw_skyway_receiver_drop(struct hw_skyway_receiver *receiver);

#endif
