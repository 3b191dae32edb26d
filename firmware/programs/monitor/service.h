/* The operations of the monitor (docs/reference/monitor_protocol.md). */
#ifndef HW_PROGRAMS_MONITOR_SERVICE_H
#define HW_PROGRAMS_MONITOR_SERVICE_H

#include <stdint.h>

#include "packet/frame.h"
#include "records/monitor.h"

/* Empties the arenas and discovers the hardware. */
void service_init(void);

/* Returns true after EXIT: the program must end with *code once the response is sent. */
bool service_ended(int *code);

/* The rate of the line. A new rate is on trial until the host has been heard at it. If the cable does not carry the
 * rate, the trial ends by itself, whether or not the host has heard of it.
 *
 * The operation BAUD: notes the rate. rate_answered puts it in force. */
enum answer rate_propose(const struct packet *request, struct packet *response);

/* To be called once the response to a request has been sent. */
void rate_answered(uint8_t operation);

/* To be called while nothing arrives. Ends a trial that has lasted too long. */
void rate_idle(void);

/* Takes the next byte of the monitor's line. If it ends a frame, sends the answer through `put`. */
void link_take(uint8_t byte, void (*put)(uint8_t byte));

#endif
