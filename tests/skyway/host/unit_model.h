/* A model of a unit that does Skyway's work (skyway/units/assist.h), and stops wherever it is told to. */
#ifndef TEST_SKYWAY_UNIT_MODEL_H
#define TEST_SKYWAY_UNIT_MODEL_H

#include "cases.h"
#include "skyway/units/assist.h"

#define NEVER UINT32_MAX

struct unit_model {
    uint32_t stop;           /* objects after which it stops sending, ... */
    int reason;              /* ... with this status; 0: OUTPUT_FULL */
    bool refuses;            /* ... to receive */
    int fault, copy_fault;   /* a status that its commands end with, before they have written; 0: none */
    void (*meanwhile)(void); /* what another thread does while the next change of classes waits for its turn */
    bool quiet;              /* nothing has begun since such a wait */
    uint32_t calls, copies;  /* commands to send and to receive; copies */
    uint32_t learned;
    const struct hw_klass *classes[HW_SKYWAY_CLASSES + 1]; /* told, by type id */
};

extern struct unit_model unit_model;
extern const struct hw_skyway_assist unit_model_assist;

#endif
