#include "programs/skyway/exchange.h"

#include <string.h>

#include "packet/body.h"

void exchange_open(struct exchange *exchange, struct skyway_link *link, uint32_t part) {
    memset(exchange, 0, sizeof *exchange);
    exchange->link = link;
    exchange->part = part;
}

bool exchange_answer(struct exchange *exchange, const struct packet *request, struct packet *response) {
    uint32_t bytes = request->length - 12;

    if (request->operation != SKYWAY_CARRY) return false;
    response->status = SKYWAY_BAD_BODY;
    if (request->length < 12) return true;
    uint32_t number = word_at(request, 0), length = word_at(request, 1), offset = word_at(request, 2);

    append(response, number);
    response->status = SKYWAY_OK;
    if (number != exchange->number) {
        /* Either the answer in the last exchange was lost, or this machine has not begun the exchange yet. */
        response->status = number < exchange->number ? SKYWAY_OK : SKYWAY_NO_TRANSFER;
        append(response, offset + bytes);
        return true;
    }
    if (length > exchange->capacity) {
        response->status = SKYWAY_FULL;
        exchange->full = true;
    } else if (offset > exchange->received || offset + bytes > length ||
               (exchange->whole && length != exchange->length)) {
        response->status = SKYWAY_NO_TRANSFER;
    } else if (offset == exchange->received && !exchange->whole) {
        if (bytes) memcpy(exchange->data + offset, request->body + 12, bytes);
        exchange->received += bytes;
        exchange->length = length;
        exchange->whole = exchange->received == length;
    }
    append(response, exchange->received);
    return true;
}

void exchange_begin(struct exchange *exchange, uint8_t *in, uint32_t capacity) {
    exchange->number++;
    exchange->data = in;
    exchange->capacity = capacity;
    exchange->received = 0;
    exchange->whole = exchange->full = false;
    exchange->problem = NULL;
}

static bool fail(struct exchange *exchange, const char *problem) {
    exchange->problem = problem;
    return false;
}

/* Sends one packet. Returns false if it is not answered. */
static bool call(struct exchange *exchange, const uint8_t *data, uint32_t offset, uint32_t part, uint32_t bytes) {
    struct packet *request = &exchange->request;

    request->operation = SKYWAY_CARRY;
    request->length = 0;
    append(request, exchange->number);
    append(request, bytes);
    append(request, offset);
    if (part) memcpy(request->body + request->length, data + offset, part);
    request->length += part;
    return skyway_link_call(exchange->link, request);
}

/* Sends one packet, once the other end has begun this exchange. Until then the other end may wait for any machine, so
 * nothing says when to ask again: a packet without bytes asks after pauses, each twice as long as the one before, in
 * which this machine answers all others. */
static bool carry(struct exchange *exchange, const uint8_t *data, uint32_t offset, uint32_t part, uint32_t bytes) {
    const struct packet *answer = &exchange->link->incoming;
    struct hw_skyway_line *line = exchange->link->line;
    uint32_t longest = line->patience / EXCHANGE_PAUSES_MIN + 1, pause = line->patience / EXCHANGE_PAUSES_MAX + 1;
    uint64_t waited = 0;

    for (bool ready = true;;) {
        uint32_t start = line->now(line), sent = ready ? part : 0;

        if (!call(exchange, data, offset, sent, bytes)) return fail(exchange, "does not answer");
        if (answer->status == SKYWAY_FULL) return fail(exchange, "has no room for a stream");
        if (answer->status == SKYWAY_NO_TRANSFER) {
            ready = false;
            if (!skyway_link_wait(exchange->link, pause)) return fail(exchange, "has gone");
            waited += line->now(line) - start;
            if (waited >= (uint64_t)EXCHANGE_WAITS * line->patience)
                return fail(exchange, "does not begin the exchange");
            pause = pause < longest / 2 ? 2 * pause : longest;
        } else if (answer->status != SKYWAY_OK || answer->length != 8 || word_at(answer, 1) < offset + sent) {
            return fail(exchange, "gives a wrong answer");
        } else if (ready) {
            return true;
        } else {
            ready = true;
        }
    }
}

bool exchange_send(struct exchange *exchange, const uint8_t *out, uint32_t bytes) {
    uint32_t offset = 0, part;

    /* An empty stream takes a packet, too. */
    do {
        part = bytes - offset < exchange->part ? bytes - offset : exchange->part;
        if (!carry(exchange, out, offset, part, bytes)) return false;
        offset += part;
    } while (offset < bytes);
    return true;
}

bool exchange_receive(struct exchange *exchange, uint32_t *bytes) {
    struct hw_skyway_line *line = exchange->link->line;
    uint64_t waited = 0;

    /* Only bytes of this exchange count: the other end may send other frames for ever. */
    while (!exchange->whole && !exchange->full && waited < (uint64_t)EXCHANGE_WAITS * line->patience) {
        uint32_t received = exchange->received, start = line->now(line);

        if (!skyway_link_poll(exchange->link, true)) return fail(exchange, "has gone");
        waited = exchange->received == received ? waited + (line->now(line) - start) : 0;
    }
    *bytes = exchange->length;
    if (exchange->full) return fail(exchange, "sends a stream for which there is no room");
    return exchange->whole || fail(exchange, "does not answer");
}
