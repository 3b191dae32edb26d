#include "monitor/link.h"

#include "monitor/frame.h"
#include "monitor/protocol.h"
#include "monitor/rate.h"
#include "monitor/service.h"

static struct frame_reader reader;
static struct packet request, response, refusal;

/* Of the request that `response` answers. */
static bool answered;
static uint8_t last_sequence;
static uint32_t last_crc;

static void refuse(void (*put)(uint8_t byte))
{
    refusal.operation = OPERATION_NAK;
    refusal.status = ANSWER_BAD_FRAME;
    frame_write(&refusal, put);
}

/* These are carried out each time: a host that was not heard at a new rate asks again at the old one. */
static bool always_new(uint8_t operation)
{
    return operation == OPERATION_HELLO || operation == OPERATION_BAUD;
}

static bool repeated(void)
{
    return answered && !always_new(request.operation) && request.sequence == last_sequence && request.crc == last_crc;
}

void link_take(uint8_t byte, void (*put)(uint8_t byte))
{
    switch (frame_read(&reader, byte, &request)) {
    case FRAME_NOTHING:
        return;
    case FRAME_BAD:
        refuse(put);
        return;
    case FRAME_PACKET:
        if (!repeated()) {
            service_answer(&request, &response);
            answered = true;
            last_sequence = request.sequence;
            last_crc = request.crc;
        }
        frame_write(&response, put);
        rate_answered(request.operation);
    }
}
