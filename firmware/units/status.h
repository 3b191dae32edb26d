/* The status of a driver's call: HW_STATUS_* of the units (heapwire.h), or one of the drivers
 * (records/status.h). The codecs return the units' statuses. */
#ifndef HW_UNITS_STATUS_H
#define HW_UNITS_STATUS_H

#include "heapwire.h"
#include "records/status.h"

typedef int hw_status;

#endif
