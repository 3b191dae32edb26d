/* The driver's side of class numbering: answers REQUEST_VIEW and LOOKUP from this machine's registry. */
#ifndef HW_SKYWAY_REGISTRY_DRIVER_H
#define HW_SKYWAY_REGISTRY_DRIVER_H

#include <stdbool.h>

#include "skyway/registry/link.h"

/* Answers the request if it is one of these two; else returns false. */
bool skyway_driver_answer(const struct packet *request, struct packet *response);

#endif
