#include "monitor/link.h"

#include "monitor/rate.h"
#include "monitor/server.h"
#include "monitor/service.h"

static enum answer answer(struct server *server, const struct packet *request, struct packet *response)
{
    (void)server;
    return service_answer(request, response);
}

void link_take(uint8_t byte, void (*put)(uint8_t byte))
{
    static struct server server = {.answer = answer};

    if (server_take(&server, byte, put))
        rate_answered(server.request.operation);
}
