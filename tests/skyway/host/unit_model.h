/* A model of a unit that does Skyway's work (skyway/units/assist.h), and stops wherever a case wants. */
#ifndef TEST_SKYWAY_UNIT_MODEL_H
#define TEST_SKYWAY_UNIT_MODEL_H

#include "cases.h"
#include "skyway/units/assist.h"

#define NEVER UINT32_MAX

struct unit_model {
    uint32_t stop;         /* objects after which it stops sending */
    int reason;            /* status with which it stops; 0: OUTPUT_FULL */
    bool refuses;          /* refuses to receive */
    int fault, copy_fault; /* status with which commands end before they have written; 0: none */
    /* called once, in place of another thread, while a change of classes waits for the unit to become idle */
    void (*meanwhile)(void);
    bool quiet;             /* no command has begun since such a wait */
    uint32_t calls, copies; /* commands to send and to receive; copies */
    uint32_t learned;
    const struct hw_klass *classes[SKYWAY_CLASSES + 1]; /* announced classes, by type id */
};

extern struct unit_model unit_model;
extern const struct hw_skyway_assist unit_model_assist;

#endif
