#include <string.h>

#include "skyway/transfer/transfer.h"
#include "packet/body.h"

void hw_skyway_receiver_open(struct hw_skyway_receiver *receiver, void *work, uint32_t work_bytes,
                             struct hw_skyway_layout own, void (*arrived)(struct hw_skyway_receiver *receiver)) {
    memset(receiver, 0, sizeof *receiver);
    hw_skyway_input_open(&receiver->input, &receiver->nothing, work, work_bytes, own);
    receiver->arrived = arrived;
    receiver->outcome = HW_SKYWAY_CUT; /* of the transfer that it has not had */
}

/* Also gives up a buffer that arrived as a whole but was not finished, because its sender does not know that it
 * arrived. */
void hw_skyway_receiver_drop(struct hw_skyway_receiver *receiver) {
    struct hw_skyway_input *input = &receiver->input;

    if (receiver->under_way && input->state == SKYWAY_WHOLE && input->status == HW_STATUS_OK)
        hw_skyway_free(input->buffer);
    hw_skyway_input_restart(input);
    receiver->under_way = false;
    receiver->outcome = HW_SKYWAY_CUT;
}

static uint8_t refuse(hw_status status, struct packet *response) {
    append(response, (uint32_t)status);
    return SKYWAY_REFUSED;
}

static struct hw_skyway_receiver *find(struct hw_skyway_receiver *receivers, uint32_t count, uint32_t session,
                                       uint32_t transfer) {
    for (uint32_t i = 0; i < count; i++)
        if (receivers[i].session == session && receivers[i].transfer == transfer) return &receivers[i];
    return NULL;
}

/* Chooses a free receiver: the one that has been free for longest, because the others remember how their last transfers
 * ended. Returns NULL if all are busy. Sets `*late` if the session has had this transfer, or a later one. */
static struct hw_skyway_receiver *choose(struct hw_skyway_receiver *receivers, uint32_t count, uint32_t session,
                                         uint32_t transfer, bool *late) {
    struct hw_skyway_receiver *chosen = NULL;

    *late = false;
    for (uint32_t i = 0; i < count; i++) {
        struct hw_skyway_receiver *each = &receivers[i];

        /* The sender has restarted and does not know of this transfer. */
        if (each->under_way && each->session != session) hw_skyway_receiver_drop(each);
        *late |= each->session == session && each->transfer >= transfer;
        if (!each->under_way &&
            (!chosen || each->session != session || (chosen->session == session && each->transfer < chosen->transfer)))
            chosen = each;
    }
    return chosen;
}

static uint8_t begin(struct hw_skyway_receiver *receivers, uint32_t count, uint32_t session, uint32_t transfer,
                     struct packet *response) {
    bool late;
    struct hw_skyway_receiver *receiver = find(receivers, count, session, transfer);

    if (receiver) return receiver->under_way ? SKYWAY_OK : SKYWAY_NO_TRANSFER;
    receiver = choose(receivers, count, session, transfer, &late);
    if (late) return SKYWAY_NO_TRANSFER;
    if (!receiver) return refuse(HW_SKYWAY_OUT_OF_STREAMS, response);
    hw_skyway_receiver_drop(receiver);
    receiver->under_way = true;
    receiver->session = session;
    receiver->transfer = transfer;
    receiver->offset = 0;
    receiver->outcome = HW_STATUS_OK;
    return SKYWAY_OK;
}

static uint8_t data(struct hw_skyway_receiver *receiver, const struct packet *request, struct packet *response) {
    uint32_t offset = word_at(request, 2), bytes = request->length - 12, taken;

    if (receiver->outcome != HW_STATUS_OK) return refuse(receiver->outcome, response);
    if (!receiver->under_way || offset > receiver->offset) return SKYWAY_NO_TRANSFER;
    if (offset == receiver->offset) {
        /* A transfer is one buffer, so nothing may follow it. */
        bool behind = receiver->input.state == SKYWAY_WHOLE;
        bool good = behind || hw_skyway_take(&receiver->input, request->body + 12, bytes, &taken);

        if (!behind) receiver->offset += taken;
        if (behind || !good || taken != bytes) {
            hw_status status = good ? HW_STATUS_BAD_STREAM : receiver->input.status;

            hw_skyway_receiver_drop(receiver);
            receiver->outcome = status;
            return refuse(receiver->outcome, response);
        }
    }
    append(response, receiver->offset);
    return SKYWAY_OK;
}

static uint8_t finish(struct hw_skyway_receiver *receiver, uint32_t length, struct packet *response) {
    if (receiver->under_way && (length != receiver->offset || receiver->input.state != SKYWAY_WHOLE))
        hw_skyway_receiver_drop(receiver);
    if (receiver->under_way) {
        receiver->under_way = false;
        receiver->arrived(receiver);
        hw_skyway_input_restart(&receiver->input);
    }
    if (receiver->outcome != HW_STATUS_OK) return refuse(receiver->outcome, response);
    append(response, (uint32_t)receiver->outcome);
    return SKYWAY_OK;
}

bool hw_skyway_receivers_answer(struct hw_skyway_receiver *receivers, uint32_t count, const struct packet *request,
                                struct packet *response) {
    static const uint32_t least[] = {[SKYWAY_BEGIN] = 8, [SKYWAY_DATA] = 16, [SKYWAY_FINISH] = 12};
    uint8_t operation = request->operation;

    if (operation < SKYWAY_BEGIN || operation > SKYWAY_FINISH) return false;
    response->length = 0;
    response->status = SKYWAY_BAD_BODY;
    if (request->length < least[operation] || (operation != SKYWAY_DATA && request->length != least[operation]))
        return true;
    uint32_t session = word_at(request, 0), transfer = word_at(request, 1);
    struct hw_skyway_receiver *receiver = find(receivers, count, session, transfer);

    append(response, session);
    append(response, transfer);
    if (operation == SKYWAY_BEGIN)
        response->status = begin(receivers, count, session, transfer, response);
    else if (!receiver)
        response->status = SKYWAY_NO_TRANSFER;
    else if (operation == SKYWAY_DATA)
        response->status = data(receiver, request, response);
    else
        response->status = finish(receiver, word_at(request, 2), response);
    return true;
}
