#include <string.h>

#include "skyway/transfer/transfer.h"
#include "packet/body.h"

static uint32_t transfers;

static struct packet *begin_request(struct hw_skyway_link_sink *sink, enum skyway_operation operation) {
    sink->request.operation = (uint8_t)operation;
    sink->request.length = 0;
    append(&sink->request, hw_skyway_sender);
    append(&sink->request, sink->transfer);
    return &sink->request;
}

static bool failed(struct hw_skyway_link_sink *sink, int reason) {
    sink->reason = reason;
    sink->under_way = false;
    return false;
}

/* Like failed(), when the receiver may still have the transfer under way, because it has not said otherwise. */
static bool lost(struct hw_skyway_link_sink *sink, int reason) {
    sink->lost = sink->transfer;
    return failed(sink, reason);
}

/* Sends the request. Returns true if the response, of this many words, belongs to this transfer. */
static bool call(struct hw_skyway_link_sink *sink, uint32_t words) {
    const struct packet *answer = &sink->link->incoming;

    if (!skyway_link_call(sink->link, &sink->request)) return lost(sink, HW_STATUS_NOT_SENT);
    bool ours = answer->length >= 8 && word_at(answer, 0) == hw_skyway_sender && word_at(answer, 1) == sink->transfer;

    if (answer->status == SKYWAY_OK && ours && answer->length == 4 * words) return true;
    if (answer->status == SKYWAY_REFUSED && ours && answer->length == 12) return failed(sink, (int)word_at(answer, 2));
    return answer->status == SKYWAY_NO_TRANSFER ? failed(sink, HW_SKYWAY_CUT) : lost(sink, HW_STATUS_NOT_SENT);
}

/* Ends a lost transfer by a FINISH with a length that no transfer has. The receiver then frees what it has received of
 * the transfer. Otherwise it might have no room for another one. */
static bool settle(struct hw_skyway_link_sink *sink) {
    if (sink->lost == 0) return true;
    sink->transfer = sink->lost;
    append(begin_request(sink, SKYWAY_FINISH), UINT32_MAX);
    if (!skyway_link_call(sink->link, &sink->request)) return failed(sink, HW_STATUS_NOT_SENT);
    sink->lost = 0;
    return true;
}

static bool begin(struct hw_skyway_sink *base) {
    struct hw_skyway_link_sink *sink = (struct hw_skyway_link_sink *)base;

    if (!settle(sink)) return false;
    sink->transfer = ++transfers;
    sink->offset = 0;
    sink->reason = HW_STATUS_OK;
    sink->under_way = true;
    begin_request(sink, SKYWAY_BEGIN);
    return call(sink, 2);
}

static bool send(struct hw_skyway_sink *base, uint32_t bytes) {
    struct hw_skyway_link_sink *sink = (struct hw_skyway_link_sink *)base;

    for (uint32_t sent = 0, part; sent < bytes; sent += part) {
        struct packet *request = begin_request(sink, SKYWAY_DATA);

        part = bytes - sent < SKYWAY_DATA_MAX ? bytes - sent : SKYWAY_DATA_MAX;
        append(request, sink->offset);
        memcpy(request->body + request->length, base->at + sent, part);
        request->length += part;
        if (!sink->under_way || !call(sink, 3)) return false;
        sink->offset += part;
        if (word_at(&sink->link->incoming, 2) != sink->offset) return lost(sink, HW_SKYWAY_CUT);
    }
    return true;
}

static bool finish(struct hw_skyway_link_sink *sink, uint32_t length) {
    append(begin_request(sink, SKYWAY_FINISH), length);
    if (!call(sink, 3)) return false;
    sink->under_way = false;
    return true;
}

static bool end(struct hw_skyway_sink *base) {
    struct hw_skyway_link_sink *sink = (struct hw_skyway_link_sink *)base;

    return finish(sink, sink->offset);
}

/* Ends the transfer as `settle` does, at once. If the receiver does not answer, settle() does it before the next
 * BEGIN. */
static void give_up(struct hw_skyway_sink *base) {
    struct hw_skyway_link_sink *sink = (struct hw_skyway_link_sink *)base;

    if (sink->under_way) {
        finish(sink, UINT32_MAX);
        failed(sink, HW_SKYWAY_CUT);
    }
}

void hw_skyway_link_sink(struct hw_skyway_link_sink *sink, struct skyway_link *link, void *buffer, uint32_t bytes) {
    memset(sink, 0, sizeof *sink);
    sink->sink = (struct hw_skyway_sink){.at = buffer,
                                         .limit = (uint8_t *)buffer + bytes / 8 * 8,
                                         .send = send,
                                         .begin = begin,
                                         .end = end,
                                         .abort = give_up,
                                         .drains = true};
    sink->link = link;
}
