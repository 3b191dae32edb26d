#include "programs/monitor/service.h"

#include <stdbool.h>

#include <generated/soc.h>

#include "packet/body.h"
#include "platform/cycles.h"
#include "platform/uart.h"

#define TRIAL_CYCLES CONFIG_CLOCK_FREQUENCY /* one second */

static uint32_t proposed;  /* 0: none */
static uint32_t confirmed; /* the rate to which a failed trial returns; 0: no trial under way */
static uint32_t trial_start;

enum answer rate_propose(const struct packet *request, struct packet *response) {
    uint32_t rate = word_at(request, 0);

    if (hw_uart_rate() == 0) return ANSWER_NOT_SUPPORTED;
    if (rate && !hw_uart_rate_possible(rate)) return ANSWER_BAD_BODY;
    proposed = rate;
    append(response, rate ? rate : hw_uart_rate());
    return ANSWER_OK;
}

void rate_answered(uint8_t operation) {
    if (operation == OPERATION_HELLO) confirmed = 0;
    if (!proposed) return;
    /* A proposal during a trial does not end it: only HELLO shows that both ends have switched. */
    if (!confirmed) confirmed = hw_uart_rate();
    hw_uart_set_rate(proposed);
    proposed = 0;
    trial_start = cycles_now();
}

void rate_idle(void) {
    if (!confirmed || cycles_now() - trial_start < TRIAL_CYCLES) return;
    hw_uart_set_rate(confirmed);
    confirmed = 0;
}
