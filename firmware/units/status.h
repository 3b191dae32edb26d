/* The status of a driver's call: HW_STATUS_* of the units (heapwire.h), a status of all drivers (below), or one of
 * Skyway's (skyway/status.h). The software twins of the units return the units' statuses. */
#ifndef HW_UNITS_STATUS_H
#define HW_UNITS_STATUS_H

#include "heapwire.h"

typedef int hw_status;

enum hw_driver_status {
    HW_STATUS_NO_HANDLE = 0x100, /* the table of local handles is full */
    HW_STATUS_OUT_OF_MEMORY,     /* collections made no room for the objects */
    HW_STATUS_OUT_OF_EPOCHS,     /* every epoch is in use by an open serialization */
    HW_STATUS_NOT_SENT,          /* the medium accepted no more of a stream */
    HW_STATUS_OUT_OF_TURN,       /* a begin before the context's previous end, or an end that matches no begin */
};

#endif
