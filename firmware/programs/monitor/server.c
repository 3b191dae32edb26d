#include "programs/monitor/server.h"

static void refuse(void (*put)(uint8_t byte)) {
    static struct packet refusal = {.operation = MONITOR_NAK, .status = ANSWER_BAD_FRAME};

    hw_frame_write(&refusal, put);
}

/* These are executed each time: a host that was not heard at a new rate asks again at the old one. */
static bool always_new(uint8_t operation) { return operation == OPERATION_HELLO || operation == OPERATION_BAUD; }

static bool repeated(const struct server *server) {
    const struct packet *request = &server->request;

    return server->answered && !always_new(request->operation) && request->sequence == server->last_sequence &&
           request->crc == server->last_crc;
}

static void carry_out(struct server *server) {
    const struct packet *request = &server->request;
    struct packet *response = &server->response;

    response->sequence = request->sequence;
    response->operation = request->operation | PACKET_RESPONSE;
    response->text = 0;
    response->length = 0;
    response->status = (uint8_t)server->answer(server, request, response);
    if (response->status != ANSWER_OK) response->length = 0;
    server->answered = true;
    server->last_sequence = request->sequence;
    server->last_crc = request->crc;
}

bool server_take(struct server *server, uint8_t byte, void (*put)(uint8_t byte)) {
    switch (hw_frame_read(&server->reader, byte, &server->request)) {
        case FRAME_NOTHING:
            return false;
        case FRAME_BAD:
            refuse(put);
            return false;
        default:
            if (!repeated(server)) carry_out(server);
            hw_frame_write(&server->response, put);
            return true;
    }
}
