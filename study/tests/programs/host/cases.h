/* Cases of what the study's programs exchange and compare. */
#ifndef STUDY_TEST_CASES_H
#define STUDY_TEST_CASES_H

#include <stdio.h>
#include <stdlib.h>

#define EXPECT(condition)                                          \
    do {                                                           \
        if (!(condition)) {                                        \
            printf("%s:%d: %s\n", __FILE__, __LINE__, #condition); \
            exit(3);                                               \
        }                                                          \
    } while (0)

/* cases_copies.c */
void copies(void);

/* cases_exchange.c */
void exchanges(void);
void addresses(void);

/* cases_line.c */
void dripping_peer(void);
void flooding_peer(void);

/* cases_machines.c */
void silent_machine(void);
void previous_exchange(void);
void endless_exchange(void);
void streams_without_room(void);

#endif
