#include "programs/monitor/object_line.h"

#include "heapwire.h"
#include "packet/body.h"
#include "runtime/crc32.h"

#define OUT_MOST ((uint32_t)(PACKET_BODY_MAX - sizeof(struct stream_out)))

/* Answers who is there: a program. The words that describe a monitor are 0. */
static enum answer hello(const struct packet *request, struct packet *response) {
    if (request->length != 4) return ANSWER_BAD_BODY;
    const struct monitor_hello hello = {
        .protocol = MONITOR_PROTOCOL, .max_body = PACKET_BODY_MAX, .interface = HW_INFO_VERSION};
    append_record(response, &hello, sizeof hello);
    return ANSWER_OK;
}
static enum answer stream_out(const struct object_line *line, const struct packet *request, struct packet *response) {
    const struct stream_out head = {line->number, line->offered_bytes, line->offered_crc};
    struct stream_ask ask;
    if (request->length != sizeof ask) return ANSWER_BAD_BODY;
    if (!line->offered) return ANSWER_NOT_READY;
    take_record(request, &ask, sizeof ask);
    if (ask.offset > line->offered_bytes || (ask.number != line->number && !(ask.number == 0 && ask.offset == 0)))
        return ANSWER_BAD_BODY;
    uint32_t left = line->offered_bytes - ask.offset;
    append_record(response, &head, sizeof head);
    append_record(response, line->offered + ask.offset, left < OUT_MOST ? left : OUT_MOST);
    return ANSWER_OK;
}
static enum answer stream_taken(struct object_line *line, const struct packet *request) {
    struct stream_taken taken;
    if (request->length != sizeof taken) return ANSWER_BAD_BODY;
    take_record(request, &taken, sizeof taken);
    if (taken.number != line->number || taken.crc != line->offered_crc) return ANSWER_BAD_BODY;
    if (!line->offered && !line->taken) return ANSWER_NOT_READY; /* too late: the program has given up the stream */
    line->taken = true;
    return ANSWER_OK;
} /* Takes the next piece of a stream. A piece of another stream starts over with that one. */
static enum answer stream_in(struct object_line *line, const struct packet *request, struct packet *response) {
    struct stream_in head;
    if (request->length < sizeof head) return ANSWER_BAD_BODY;
    if (!line->wanted) return ANSWER_NOT_READY;
    take_record(request, &head, sizeof head);
    uint32_t count = request->length - (uint32_t)sizeof head;
    if (head.length > line->room) return ANSWER_TOO_LARGE;
    if (count == 0 || head.offset > head.length || count > head.length - head.offset) return ANSWER_BAD_BODY;
    if (head.length != line->given_bytes || head.crc != line->given_crc) {
        line->given_bytes = head.length;
        line->given_crc = head.crc;
        line->received = 0;
    }
    if (head.offset == line->received && !line->given) {
        memcpy(line->wanted + head.offset, request->body + sizeof head, count);
        line->received += count;
    }
    if (line->received == head.length && !line->given) {
        line->given = hw_crc32(0, line->wanted, head.length) == head.crc;
        if (!line->given) {
            line->received = 0;
            return ANSWER_BAD_BODY;
        }
    }
    append(response, line->received);
    return ANSWER_OK;
}
static enum answer answer(struct server *server, const struct packet *request, struct packet *response) {
    struct object_line *line = (struct object_line *)server; /* the server is the line's first member */
    switch (request->operation) {
        case OPERATION_HELLO:
            return hello(request, response);
        case OPERATION_STREAM_OUT:
            return stream_out(line, request, response);
        case OPERATION_STREAM_TAKEN:
            return stream_taken(line, request);
        case OPERATION_STREAM_IN:
            return stream_in(line, request, response);
        default:
            return ANSWER_UNKNOWN_OPERATION;
    }
} /* Serves the host until *done, or until it has been silent for too long. Bytes that are no request count as silence.
   */
static bool serve(struct object_line *line, const bool *done) {
    uint32_t heard = line->now();
    uint8_t byte;
    while (!*done) {
        if (line->take(&byte) && server_take(&line->server, byte, line->put)) {
            heard = line->now();
            line->requests++;
        } else if (line->now() - heard >= line->patience) {
            return false;
        }
    }
    return true;
}
void object_line_open(struct object_line *line, void (*put)(uint8_t byte), bool (*take)(uint8_t *byte),
                      uint32_t (*now)(void), uint32_t patience) {
    *line = (struct object_line){.server.answer = answer, .put = put, .take = take, .now = now, .patience = patience};
}
static bool complete(struct hw_cereal_output *stream, uint32_t bytes) {
    struct object_line *line = ((struct object_line_output *)stream)->line;
    line->offered = stream->at;
    line->offered_bytes = bytes;
    line->offered_crc = hw_crc32(0, stream->at, bytes);
    line->number++;
    line->taken = false;
    bool taken = serve(line, &line->taken);
    line->offered = NULL;
    return taken;
}
static bool fetch(struct hw_cereal_input *stream, uint32_t bytes) {
    struct object_line_input *input = (struct object_line_input *)stream;
    struct object_line *line = input->line; /* The stream that has arrived is shorter than its header says. Another
                                               stream would not complete it. */
    if (stream->limit != stream->at || bytes > (uint32_t)(input->limit - input->buffer)) return false;
    line->wanted = input->buffer;
    line->room = (uint32_t)(input->limit - input->buffer);
    line->given_bytes = line->received = 0;
    line->given = false;
    bool given = serve(line, &line->given);
    line->wanted = NULL;
    if (!given) return false;
    stream->at = input->buffer;
    stream->limit = input->buffer + line->given_bytes;
    return line->given_bytes >= bytes;
}
static void consume(struct hw_cereal_input *stream, uint32_t bytes) { stream->at += bytes; }
void object_line_drop(struct object_line_input *input) { input->stream.at = input->stream.limit = input->buffer; }
void object_line_output(struct object_line_output *output, struct object_line *line, void *buffer, uint32_t bytes) {
    *output = (struct object_line_output){
        .stream = {.at = buffer, .limit = (uint8_t *)buffer + bytes, .complete = complete}, .line = line};
}
void object_line_input(struct object_line_input *input, struct object_line *line, void *buffer, uint32_t bytes) {
    *input = (struct object_line_input){.stream = {.at = buffer, .limit = buffer, .fetch = fetch, .consume = consume},
                                        .line = line,
                                        .buffer = buffer,
                                        .limit = (uint8_t *)buffer + bytes};
}
