#include "skyway/registry/registry.h"

#include <string.h>

#include "packet/body.h"

static uint8_t view(const struct packet *request, struct packet *response) {
    if (request->length != 8) return SKYWAY_BAD_BODY;
    uint32_t first = word_at(request, 1);

    if (first == 0) return SKYWAY_BAD_BODY;
    append(response, skyway_registry.number);
    append(response, skyway_registry.count);
    for (uint32_t id = first; id <= skyway_registry.count; id++) {
        const struct skyway_class *class = &skyway_registry.classes[id];
        uint32_t length = (uint32_t)strlen(class->name);

        if (response->length + 6 + length > PACKET_BODY_MAX) break;
        append(response, class->fingerprint);
        response->body[response->length++] = (uint8_t)length;
        response->body[response->length++] = (uint8_t)(length >> 8);
        memcpy(response->body + response->length, class->name, length);
        response->length += length;
    }
    return SKYWAY_OK;
}

static uint8_t lookup(const struct packet *request, struct packet *response) {
    if (request->length <= 8 || request->length > 8 + SKYWAY_NAME_MAX) return SKYWAY_BAD_BODY;
    const char *name = (const char *)request->body + 8;
    uint32_t length = request->length - 8, fingerprint = word_at(request, 1), id;

    if (memchr(name, 0, length)) return SKYWAY_BAD_BODY;
    if ((id = skyway_registry_give(name, length, fingerprint)) == 0) return SKYWAY_FULL;
    if (skyway_registry.classes[id].fingerprint != fingerprint) return SKYWAY_CONFLICT;
    append(response, id);
    return SKYWAY_OK;
}

bool skyway_driver_answer(const struct packet *request, struct packet *response) {
    bool views = request->operation == SKYWAY_REQUEST_VIEW;

    if (!views && request->operation != SKYWAY_LOOKUP) return false;
    if (request->length < 4)
        response->status = SKYWAY_BAD_BODY;
    else if (word_at(request, 0) != skyway_registry.number && !(views && word_at(request, 0) == 0))
        response->status = SKYWAY_OTHER_REGISTRY;
    else if (!skyway_registry.driver)
        response->status = SKYWAY_UNKNOWN_OPERATION;
    else
        response->status = views ? view(request, response) : lookup(request, response);
    if (response->status != SKYWAY_OK) response->length = 0;
    return true;
}
