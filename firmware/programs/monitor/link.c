#include "programs/monitor/service.h"

#include "programs/monitor/server.h"

static enum answer answer(struct server *server, const struct packet *request, struct packet *response) {
    (void)server;
    return service_answer(request, response);
}

void link_take(uint8_t byte, void (*put)(uint8_t byte)) {
    static struct server server = {.answer = answer};

    if (server_take(&server, byte, put)) rate_answered(server.request.operation);
}
