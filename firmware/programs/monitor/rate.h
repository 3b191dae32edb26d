/* The rate of the line. A new rate is on trial until the host has been heard at it. If the cable does not carry the
 * rate, the trial ends by itself, whether or not the host has heard of it. */
#ifndef HW_PROGRAMS_MONITOR_RATE_H
#define HW_PROGRAMS_MONITOR_RATE_H

#include "packet/frame.h"
#include "records/monitor.h"

/* The operation BAUD: notes the rate. rate_answered puts it in force. */
enum answer rate_propose(const struct packet *request, struct packet *response);

/* To be called once the response to a request has been sent. */
void rate_answered(uint8_t operation);

/* To be called while nothing arrives. Ends a trial that has lasted too long. */
void rate_idle(void);

#endif
