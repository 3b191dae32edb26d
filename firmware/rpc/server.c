/* What a packet asks for, and the packets that answer it. */
#include "rpc/packet.h"
#include "rpc/rpc.h"

const uint32_t hw_rpc_default_channel[1] = {1};

bool hw_rpc_open(struct hw_rpc_server *server, const struct hw_rpc_service *const *services, uint32_t count,
                 void *output, uint32_t bytes) {
    bool fits = bytes >= HW_RPC_LEAST_OUTPUT;

    *server = (struct hw_rpc_server){
        .services = services, .service_count = count, .output = fits ? output : NULL, .output_bytes = fits ? bytes : 0};
    return fits;
}

/* Sends a packet whose payload, if it has one, lies in the server's output, HW_RPC_HEAD bytes behind its start or
 * further. */
static void send(struct hw_rpc_server *server, struct hw_rpc_link *link, const struct hw_rpc_packet *packet) {
    uint8_t *payload = server->output + HW_RPC_HEAD;

    if (packet->length) payload += packet->payload - payload;
    const uint8_t *start = hw_rpc_packet_write(packet, payload);

    link->send(link, start, (uint32_t)(payload - start) + packet->length);
}

/* Answers a client's packet. Errors are never answered, so that two ends cannot answer each other for ever. */
static void refuse(struct hw_rpc_server *server, struct hw_rpc_link *link, const struct hw_rpc_packet *packet,
                   enum hw_rpc_status status) {
    struct hw_rpc_packet answer = *packet;

    if (packet->type == HW_RPC_CLIENT_ERROR) return;
    answer.type = HW_RPC_SERVER_ERROR;
    answer.status = (uint32_t)status;
    answer.length = 0;
    send(server, link, &answer);
}

/* Sends a packet of a call, with a message if there is one. Returns false if that cannot be written. */
static bool tell(const struct hw_rpc_call *call, enum hw_rpc_packet_type type, enum hw_rpc_status status,
                 void *message) {
    struct hw_rpc_server *server = call->server;
    struct hw_bytes payload = {NULL, 0};

    if ((unsigned)status > HW_RPC_UNAUTHENTICATED) status = HW_RPC_UNKNOWN; /* a handler's own number */
    if (message && !call->service->model->write(call->method->response, message, server->output + HW_RPC_HEAD,
                                                server->output_bytes - HW_RPC_HEAD, &payload))
        return false;
    send(server, call->link,
         &(struct hw_rpc_packet){.type = type,
                                 .channel = call->channel,
                                 .service = call->service->id,
                                 .method = call->method->id,
                                 .call = call->id,
                                 .status = (uint32_t)status,
                                 .payload = payload.data,
                                 .length = payload.length});
    return true;
}

/* Tells the program that a call ends, and ends it. */
static void cancel(struct hw_rpc_call *call) {
    const struct hw_rpc_model *model = call->service->model;
    hw_rpc_handler *cancelled = call->method->cancelled;

    call->ending = true;
    if (cancelled) {
        uintptr_t begun = model->begin();

        cancelled((struct hw_rpc_writer){call, call->serial}, NULL, NULL);
        model->end(begun);
    }
    call->method = NULL;
}

static void fail(struct hw_rpc_call *call, enum hw_rpc_status status) {
    tell(call, HW_RPC_SERVER_ERROR, status, NULL);
    cancel(call);
}

bool hw_rpc_write(struct hw_rpc_writer writer, void *message) {
    if (!hw_rpc_is_open(writer) || writer.call->ending || !message) return false;
    if (tell(writer.call, HW_RPC_SERVER_MESSAGE, HW_RPC_OK, message)) return true;
    fail(writer.call, HW_RPC_INTERNAL);
    return false;
}

bool hw_rpc_finish(struct hw_rpc_writer writer, enum hw_rpc_status status, void *response) {
    if (!hw_rpc_is_open(writer) || writer.call->ending) return false;
    bool sent = tell(writer.call, HW_RPC_RESPONSE, status, response);

    if (!sent) tell(writer.call, HW_RPC_SERVER_ERROR, HW_RPC_INTERNAL, NULL);
    writer.call->method = NULL;
    return sent;
}

/* Calls a handler, and ends the call if the handler says so. payload: NULL if the handler takes none. */
static void handle(struct hw_rpc_call *call, hw_rpc_handler *handler, const uint8_t *payload, uint32_t length,
                   bool responds) {
    const struct hw_rpc_model *model = call->service->model;
    const struct hw_rpc_writer writer = {call, call->serial};
    enum hw_rpc_status status = HW_RPC_RESOURCE_EXHAUSTED;
    uintptr_t begun = model->begin();
    void *request = payload ? model->read(call->method->request, payload, length, &status) : NULL;
    void *response = responds ? model->make(call->method->response) : NULL;

    if ((payload && !request) || (responds && !response)) {
        model->end(begun);
        fail(call, status);
        return;
    }
    status = handler(writer, request, &response);
    enum hw_rpc_status failed = model->failure();

    if (failed != HW_RPC_OK && hw_rpc_is_open(writer))
        fail(call, failed);
    else if (status != HW_RPC_OPEN)
        hw_rpc_finish(writer, status, response);
    model->end(begun);
}

static struct hw_rpc_call *find(struct hw_rpc_server *server, const struct hw_rpc_link *link,
                                const struct hw_rpc_service *service, const struct hw_rpc_method *method,
                                const struct hw_rpc_packet *packet) {
    for (struct hw_rpc_call *call = server->calls; call != server->calls + HW_RPC_CALLS; call++)
        if (call->method == method && call->service == service && call->link == link &&
            call->channel == packet->channel && call->id == packet->call)
            return call;
    return NULL;
}

/* Whether a call should be ended before another one: its client has been silent for longer, or it is the older one of
 * the same client. */
static bool goes_before(const struct hw_rpc_call *call, const struct hw_rpc_call *other) {
    uint32_t now = call->server->packets;

    if (call->link == other->link) return call->serial - other->serial > 1u << 31;
    return now - call->link->heard > now - other->link->heard;
}

/* Returns a place for a client's call. If all are taken, a call of another client is ended: that client may have
 * vanished. Returns NULL if all calls are this client's own. */
static struct hw_rpc_call *place_for(struct hw_rpc_server *server, const struct hw_rpc_link *link) {
    struct hw_rpc_call *ended = NULL;

    for (struct hw_rpc_call *call = server->calls; call != server->calls + HW_RPC_CALLS; call++) {
        if (!call->method) return call;
        if (call->link != link && (!ended || goes_before(call, ended))) ended = call;
    }
    if (ended) fail(ended, HW_RPC_RESOURCE_EXHAUSTED);
    return ended;
}

static void begin(struct hw_rpc_server *server, struct hw_rpc_link *link, const struct hw_rpc_service *service,
                  const struct hw_rpc_method *method, const struct hw_rpc_packet *packet) {
    struct hw_rpc_call once, *call = method->kind == HW_RPC_UNARY ? &once : place_for(server, link);

    if (!call) {
        refuse(server, link, packet, HW_RPC_RESOURCE_EXHAUSTED);
        return;
    }
    *call = (struct hw_rpc_call){.server = server,
                                 .service = service,
                                 .method = method,
                                 .link = link,
                                 .channel = packet->channel,
                                 .id = packet->call,
                                 .serial = ++server->serial};
    if (!(method->kind & HW_RPC_CLIENT_STREAM))
        handle(call, method->message, packet->payload, packet->length, method->kind == HW_RPC_UNARY);
    else if (method->open)
        handle(call, method->open, NULL, 0, false);
    if (call == &once && once.method) fail(call, HW_RPC_INTERNAL); /* its handler has left it open */
}

/* A message of a client's stream, or its end. */
static void go_on(struct hw_rpc_call *call, const struct hw_rpc_packet *packet) {
    const struct hw_rpc_method *method = call->method;
    bool streams = method->kind & HW_RPC_CLIENT_STREAM;

    if (packet->type == HW_RPC_CLIENT_MESSAGE && !streams) {
        fail(call, HW_RPC_INVALID_ARGUMENT);
    } else if (call->client_ended) {
        fail(call, HW_RPC_FAILED_PRECONDITION);
    } else if (packet->type == HW_RPC_CLIENT_MESSAGE) {
        handle(call, method->message, packet->payload, packet->length, false);
    } else {
        call->client_ended = true;
        if (method->end)
            handle(call, method->end, NULL, 0, method->kind == HW_RPC_CLIENT_STREAM);
        else
            hw_rpc_finish((struct hw_rpc_writer){call, call->serial}, HW_RPC_OK, NULL);
    }
}

static const struct hw_rpc_service *service_of(const struct hw_rpc_server *server, uint32_t id) {
    for (uint32_t i = 0; i < server->service_count; i++)
        if (server->services[i]->id == id) return server->services[i];
    return NULL;
}

static const struct hw_rpc_method *method_of(const struct hw_rpc_service *service, uint32_t id) {
    for (uint32_t i = 0; service && i < service->count; i++)
        if (service->methods[i].id == id) return &service->methods[i];
    return NULL;
}

static bool carries(const struct hw_rpc_link *link, uint32_t channel) {
    for (uint32_t i = 0; i < link->channel_count; i++)
        if (link->channels[i] == channel) return true;
    return false;
}

void hw_rpc_take(struct hw_rpc_server *server, struct hw_rpc_link *link, const uint8_t *bytes, uint32_t length,
                 uint32_t missing) {
    struct hw_rpc_packet packet;

    if (!server->output) return;
    link->heard = server->packets;
    if (!hw_rpc_packet_read(&packet, bytes, length, missing) || packet.channel == 0 || packet.type & 1) {
        server->malformed++; /* nobody knows whom to tell */
        return;
    }
    server->packets++;
    if (!carries(link, packet.channel)) {
        refuse(server, link, &packet, HW_RPC_UNAVAILABLE);
        return;
    }
    const struct hw_rpc_service *service = service_of(server, packet.service);
    const struct hw_rpc_method *method = method_of(service, packet.method);

    if (!method) {
        refuse(server, link, &packet, HW_RPC_NOT_FOUND);
        return;
    }
    /* A call without a stream ends with its handler. */
    struct hw_rpc_call *call = method->kind ? find(server, link, service, method, &packet) : NULL;

    if (missing) {
        if (call) cancel(call);
        refuse(server, link, &packet, HW_RPC_RESOURCE_EXHAUSTED);
        return;
    }
    switch (packet.type) {
        case HW_RPC_REQUEST:
            if (call) cancel(call); /* its client has forgotten it */
            begin(server, link, service, method, &packet);
            break;
        case HW_RPC_CLIENT_MESSAGE:
        case HW_RPC_CLIENT_COMPLETION:
            if (call)
                go_on(call, &packet);
            else
                refuse(server, link, &packet, HW_RPC_FAILED_PRECONDITION);
            break;
        case HW_RPC_CLIENT_ERROR:
            if (call) cancel(call);
            break;
        default:
            refuse(server, link, &packet, HW_RPC_UNIMPLEMENTED);
    }
}
