#include "serial.h"

#include <stdbool.h>

#include "line.h"
#include "platform/uart.h"

#define COMMAND_ABORT 0
#define COMMAND_LOAD 1
#define COMMAND_JUMP 2

#define ANSWER_SUCCESS 'K'
#define ANSWER_CRC 'C'
#define ANSWER_UNKNOWN 'U'
#define ANSWER_ERROR 'E'

#define FRAME_MS 5000 /* from frame to frame */
#define BYTE_MS 250   /* from byte to byte of a frame */
/* After a broken frame the start of the next one is unknown, but a frame starts after this silence. It is longer than
 * the time for which a USB cable holds back bytes. */
#define QUIET_MS 20
#define FAILURES_MAX 16

#define ADDRESS_BYTES 4u

struct frame {
    uint8_t command, length;
    uint8_t payload[UINT8_MAX];
};

enum taken { TAKEN, NOTHING, CUT, BROKEN };

/* Computes the CRC while bytes arrive, because a sender does not wait between frames and the UART keeps only 16
 * bytes. */
static enum taken take_frame(struct frame *frame) {
    uint8_t sum[2];
    uint16_t crc;

    if (!line_take(&frame->length, FRAME_MS)) return NOTHING;
    if (!line_take(&sum[0], BYTE_MS) || !line_take(&sum[1], BYTE_MS) || !line_take(&frame->command, BYTE_MS))
        return CUT;
    crc = crc16_next(0, frame->command);
    for (uint32_t i = 0; i < frame->length; i++) {
        if (!line_take(&frame->payload[i], BYTE_MS)) return CUT;
        crc = crc16_next(crc, frame->payload[i]);
    }
    return crc == (sum[0] << 8 | sum[1]) ? TAKEN : BROKEN;
}

static uint32_t address_of(const struct frame *frame) {
    const uint8_t *byte = frame->payload;

    return (uint32_t)byte[0] << 24 | (uint32_t)byte[1] << 16 | (uint32_t)byte[2] << 8 | byte[3];
}

/* Returns whether `length` bytes at `address` lie in main memory. No sum can wrap around. */
static bool inside(const struct main_memory *memory, uint32_t address, uint32_t length) {
    uint32_t offset = address - memory->base;

    return address >= memory->base && offset <= memory->bytes && length <= memory->bytes - offset;
}

static bool load(const struct main_memory *memory, const struct frame *frame) {
    if (frame->length < ADDRESS_BYTES) return false;

    uint32_t address = address_of(frame), length = frame->length - ADDRESS_BYTES;

    if (!inside(memory, address, length)) return false;
    for (uint32_t i = 0; i < length; i++)
        memory->memory[address - memory->base + i] = frame->payload[ADDRESS_BYTES + i];
    return true;
}

/* A program starts with a whole instruction at a multiple of 4, because there are no compressed instructions. */
static bool may_start(const struct main_memory *memory, const struct frame *frame) {
    return frame->length == ADDRESS_BYTES && address_of(frame) % 4 == 0 && inside(memory, address_of(frame), 4);
}

enum sfl_end sfl_receive(const struct main_memory *memory, uint32_t *entry) {
    struct frame frame;

    for (unsigned failures = 0; failures < FAILURES_MAX;) {
        uint8_t answer = ANSWER_ERROR;

        switch (take_frame(&frame)) {
            case NOTHING:
                return SFL_SILENT;
            case CUT: /* the line has been silent already */
                break;
            case BROKEN:
                line_drain(QUIET_MS);
                answer = ANSWER_CRC;
                break;
            case TAKEN:
                switch (frame.command) {
                    case COMMAND_ABORT:
                        hw_uart_put(ANSWER_SUCCESS);
                        return SFL_ABORTED;
                    case COMMAND_LOAD:
                        if (load(memory, &frame)) answer = ANSWER_SUCCESS;
                        break;
                    case COMMAND_JUMP:
                        if (!may_start(memory, &frame)) break;
                        *entry = address_of(&frame);
                        hw_uart_put(ANSWER_SUCCESS);
                        return SFL_JUMP;
                    default:
                        answer = ANSWER_UNKNOWN;
                }
        }
        hw_uart_put(answer);
        failures = answer == ANSWER_SUCCESS ? 0 : failures + 1;
    }
    return SFL_FAILED;
}
