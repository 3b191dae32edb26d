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
    exchange->whole = false;
}

/* Sends one packet. Repeats it while the other end is still in the previous exchange. */
static bool carry(struct exchange *exchange, const uint8_t *data, uint32_t offset, uint32_t part, uint32_t bytes) {
    struct packet *request = &exchange->request;
    const struct packet *answer = &exchange->link->incoming;

    for (uint32_t waits = 0; waits < EXCHANGE_WAITS; waits++) {
        request->operation = SKYWAY_CARRY;
        request->length = 0;
        append(request, exchange->number);
        append(request, bytes);
        append(request, offset);
        if (part) memcpy(request->body + request->length, data + offset, part);
        request->length += part;
        if (!skyway_link_call(exchange->link, request)) return false;
        if (answer->status != SKYWAY_NO_TRANSFER)
            return answer->status == SKYWAY_OK && answer->length == 8 && word_at(answer, 1) >= offset + part;
        if (!skyway_link_poll(exchange->link, true)) return false;
    }
    return false;
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
    for (uint32_t idle = 0; !exchange->whole && idle < EXCHANGE_WAITS;) {
        uint32_t heard = exchange->link->heard;

        if (!skyway_link_poll(exchange->link, true)) return false;
        idle = exchange->link->heard == heard ? idle + 1 : 0;
    }
    *bytes = exchange->length;
    return exchange->whole;
}
